package jupyterhub

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// outside is a service that the hub does not start, beside the other one and so under another name.
type outside struct{ address, secret string }

// newOutside chooses its address and its secret.
func newOutside(t *testing.T) outside {
	t.Helper()
	at, err := hubs.Free(t.Context())
	must.NoError(t, err)
	return outside{at, rand.Text()}
}

// config returns its configuration from the page, after the configuration of the service that the hub starts.
func (s outside) config(t *testing.T, version int) string {
	t.Helper()
	texts := narrow(version)
	maps.Copy(texts, map[string]string{
		`"name": "nbduet"`: `"name": "outside"`, "service=nbduet": "service=outside", "http://nbduet.internal:9310": "http://" + s.address, "SECRET": s.secret,
	})
	place, err := hubs.Place(texts)
	must.NoError(t, err)
	python := blocks(t, asService, "python")
	return "\nstarted = c.JupyterHub.services\n" + python[1] + place + "c.JupyterHub.services = started + c.JupyterHub.services\n" +
		"c.JupyterHub.load_roles[0][\"scopes\"].append(\"access:services!service=outside\")\n"
}

// environment returns the page's environment, for a hub.
func (s outside) environment(t *testing.T, h *hubs.Hub) (env []string) {
	t.Helper()
	text := strings.NewReplacer(
		"http://hub.internal:8081/hub/api", h.API(), "SECRET", s.secret, "BASE_URL=/\n", "BASE_URL=/labs/\n", "NAME=nbduet\n", "NAME=outside\n",
		"PREFIX=/services/nbduet/", "PREFIX=/labs/services/outside/", "http://nbduet.internal:9310", "http://"+s.address, "service=nbduet", "service=outside",
		"http://proxy.internal:8000", h.URL, "https://hub.example.org/services/nbduet", h.URL+"/services/outside",
	).Replace(blocks(t, asService, "ini")[0])
	return strings.Split(strings.TrimSpace(text), "\n")
}

// outside starts the program by hand and logs in with it.
func (o *office) outside(t *testing.T, s outside) {
	file := kit.Binary(t)
	var log bytes.Buffer
	cmd := exec.Command(file, "hub", "--toolsets=all")
	cmd.Env = append(append(lab.CleanEnv(), "HOME="+t.TempDir()), s.environment(t, o.Hub)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	must.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		err := cmd.Wait()
		must.NoError(t, err)
		test.StrNotContains(t, log.String(), s.secret)
	})
	service := o.URL + "/services/outside"
	must.NoError(t, poll.Until(t.Context(), "the service to answer", func(context.Context) error {
		if a := request(t, http.MethodGet, service+"/healthz", "", ""); a.status != http.StatusOK {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		return nil
	}))
	made := discover(t, service+"/mcp", callback).login(t, newPerson(t, "ann", o.URL))
	other := *o
	other.how.URL = service + "/mcp"
	must.NoError(t, reach(t, other.with(made)).calls(t.Context(), "list_nbs", map[string]any{}, "login.ipynb"))
	// One service does not accept the other's token.
	if a := request(t, http.MethodPost, o.how.URL, made, ping); a.status != http.StatusUnauthorized {
		t.Errorf("a token of another service: status %d: %s", a.status, a.body)
	}
	hubToken := token(t, o.Hub, "ann", mine("ann"), "access:services!service=outside")
	a := request(t, http.MethodPost, o.how.URL, hubToken.Secret, ping)
	test.Eq(t, http.StatusUnauthorized, a.status, test.Sprint("a token for another service"))
	test.StrContains(t, a.body, "lacks the scope access:services!service=nbduet", test.Sprint("a token for another service"))
}

// narrow returns the page's replacements for newer hubs.
func narrow(version int) map[string]string {
	if version < 6 {
		return map[string]string{}
	}
	return map[string]string{`"servers!user"`: `"read:servers!user", "start:servers!user"`}
}

// blocks returns all blocks of a language below a heading of the page.
func blocks(t *testing.T, heading, language string) []string {
	t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "jupyterhub.md"))
	must.NoError(t, err)
	_, after, _ := strings.Cut(string(page), "\n## "+heading+"\n")
	section, _, _ := strings.Cut(after, "\n## ")
	all := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(section, -1)
	var texts []string
	for _, one := range all {
		texts = append(texts, one[1])
	}
	if len(texts) == 0 {
		t.Fatalf("the page has no %s below %q", language, heading)
	}
	return texts
}
