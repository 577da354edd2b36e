package packages

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
)

// installLink matches an address in the README that makes an editor install the server.
var installLink = regexp.MustCompile("(?:cursor://anysphere|https://cursor\\.com/|https://(?:insiders\\.)?vscode\\.dev/redirect|vscode(?:-insiders)?:mcp)[^\\s)>`\"]+")

// linked decodes a link as the editor does: the name, and the entry that starts the server.
func linked(t *testing.T, link string) (name string, entry map[string]any) {
	t.Helper()
	if _, config, found := strings.Cut(link, ":mcp/install?"); found { // VS Code: the whole text is JSON
		text, err := url.QueryUnescape(config)
		must.NoError(t, err)
		must.NoError(t, json.Unmarshal([]byte(text), &entry))
		name, _ = entry["name"].(string)
		delete(entry, "name")
		return name, entry
	}
	at, err := url.Parse(link)
	must.NoError(t, err)
	query, err := url.ParseQuery(at.RawQuery)
	must.NoError(t, err)
	text := []byte(query.Get("config"))
	if strings.Contains(link, "cursor") {
		text, err = base64.StdEncoding.DecodeString(string(text))
		must.NoError(t, err)
	}
	must.NoError(t, json.Unmarshal(text, &entry))
	return query.Get("name"), entry
}

// The README's links for Cursor and VS Code install the same entry that people would write themselves.
func TestInstallLinks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(kit.Root, "README.md"))
	must.NoError(t, err)
	editors := make(map[string]bool)
	for _, link := range installLink.FindAllString(string(text), -1) {
		name, entry := linked(t, link)
		if kind, found := entry["type"]; found && kind != "stdio" {
			t.Errorf("%s is of a server of the type %v", link, kind)
		}
		delete(entry, "type")
		want := map[string]any{"command": "uvx", "args": []any{"nbduet"}}
		test.Eq(t, "nbduet", name, test.Sprint(link))
		test.Eq(t, want, entry, test.Sprint(link))
		editors[map[bool]string{true: "Cursor", false: "VS Code"}[strings.Contains(link, "cursor")]] = true
	}
	for _, editor := range []string{"Cursor", "VS Code"} {
		if !editors[editor] {
			t.Errorf("the README has no link for %s", editor)
		}
	}
}
