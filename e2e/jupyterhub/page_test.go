package jupyterhub

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/lab"
)

// block returns the first block of a language below a heading of the page.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "jupyterhub.md"))
	must.NoError(t, err)
	_, after, found := strings.Cut(string(page), "\n## "+heading+"\n")
	section, _, _ := strings.Cut(after, "\n## ")
	text := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(section)
	must.True(t, found, must.Sprint(language, heading))
	must.NotNil(t, text, must.Sprint(language, heading))
	return text[1]
}

// entry is a client's configuration entry that starts a server or has its address.
type entry struct {
	Command   string
	Env       map[string]string
	Type, URL string
	Headers   map[string]string
}

// configured returns the page's configuration of a client, with a hub and a token in place of the page's.
func configured(t *testing.T, heading string, h *hubs.Hub, token hubs.Token) entry {
	t.Helper()
	text := strings.NewReplacer("https://hub.example.org", h.URL, `"TOKEN"`, `"`+token.Secret+`"`, "token TOKEN", "token "+token.Secret).Replace(block(t, heading, "json"))
	var config struct {
		Servers map[string]entry `json:"mcpServers"`
	}
	must.NoError(t, json.Unmarshal([]byte(text), &config))
	e, found := config.Servers["nbduet"]
	if !found {
		t.Fatalf("no nbduet in %s", text)
	}
	return e
}
