package clients_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// installed builds and installs the wheel once.
var installed = sync.OnceValues(func() (embedded.Installation, error) {
	in, err := embedded.Install(kit.BuildDir)
	if err == nil {
		err = os.WriteFile(filepath.Join(in.Packages, "nbduet_e2e.py"), []byte(refusing), 0o600)
	}
	return in, err
})

// refusing is an authorizer that refuses the actions named in the request.
const refusing = `from jupyter_server.auth import Authorizer

class Refusing(Authorizer):
    def is_authorized(self, handler, user, action, resource):
        return handler.request.headers.get("X-May-Not") != f"{action} {resource}"
`

// site is a Jupyter server with the extension installed.
type site struct {
	*lab.Lab
	t      *testing.T
	header map[string]string // of an authorized caller
	sender http.RoundTripper // sends the header too
}

// password is the password of the servers that have one.
const password = "open, sesame"

// startSite starts a server with a password and stops it when the test ends. The program has to exit with it.
func startSite(t *testing.T, opt lab.Options) *site {
	t.Helper()
	in, err := installed()
	must.NoError(t, err)
	hash := sha256.Sum256([]byte(password + "5a17"))
	opt.Command = in.Command()
	opt.Env = append(in.Env, opt.Env...)
	opt.Args = append([]string{"--PasswordIdentityProvider.hashed_password=sha256:5a17:" + hex.EncodeToString(hash[:])}, opt.Args...)
	s := &site{t: t}
	s.Lab, err = lab.Start(t.Context(), opt)
	must.NoError(t, err)
	s.header = map[string]string{"Authorization": "token " + s.Token}
	s.sender = sending{s.header, http.DefaultTransport}
	t.Cleanup(func() {
		log := s.LogTail(1000)
		// Other extensions log tracebacks when a tab is closed.
		for _, bad := range []string{s.Token, "/nbduet_jupyter/", "panic", "level=ERROR"} {
			if strings.Contains(log, bad) {
				t.Errorf("the server's log holds %q", bad)
			}
		}
		if t.Failed() {
			t.Logf("the server's log:\n%s", log)
		}
		pid, perr := s.program()
		must.NoError(t, s.Stop())
		if perr == nil && running(pid) {
			t.Error("nbduet outlives the server")
		}
	})
	return s
}

// sending adds headers to each request.
type sending struct {
	header map[string]string
	by     http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s sending) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range s.header {
		r.Header.Set(name, value)
	}
	return s.by.RoundTrip(r)
}

// ask sends a request to a path of the server. A body is JSON. Redirects are returned as answers.
func (s *site) ask(method, path, body string, change func(*http.Request)) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.header {
		req.Header.Set(name, value)
	}
	if change != nil {
		change(req)
	}
	base := s.sender
	if with, ok := base.(sending); ok {
		base = with.by // the header may have been changed
	}
	c := &http.Client{Transport: base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// notebook writes a notebook for one test into the server's folder.
func (s *site) notebook(name string, cells ...kit.Cell) string {
	s.t.Helper()
	name += ".ipynb"
	must.NoError(s.t, os.WriteFile(s.Path(name), kit.NotebookText(s.t, cells), 0o600))
	return name
}

// program returns the process id of the nbduet that the server has started.
func (s *site) program() (int, error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended in the meantime
		}
		// pid (comm) state ppid …
		_, after, _ := strings.Cut(string(text), "(nbduet) ")
		fields := strings.Fields(after)
		if len(fields) > 2 && fields[0] != "Z" && fields[1] == strconv.Itoa(s.PID) {
			return strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0, errors.New("the server has started no nbduet")
}

// running reports whether a process exists.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}

// gone waits for the end of a process.
func gone(t *testing.T, pid int) {
	t.Helper()
	must.NoError(t, poll.Until(t.Context(), "the end of a process", func(context.Context) error {
		if running(pid) {
			return fmt.Errorf("process %d runs", pid)
		}
		return nil
	}))
}
