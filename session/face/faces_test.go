package face

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNames(t *testing.T) {
	for self, want := range map[Self]string{
		{}:                                        "AI Agent",
		{Name: "claude-code"}:                     "Claude",
		{Name: "claude-ai", Title: "Duet"}:        "Claude",
		{Name: "cursor-vscode"}:                   "Cursor",
		{Name: "Visual Studio Code - Insiders"}:   "VS Code",
		{Name: "codex-mcp-client"}:                "Codex",
		{Name: "gemini-cli-mcp-client"}:           "Gemini",
		{Name: "Zed"}:                             "Zed",
		{Name: "zedd"}:                            "zedd (AI)",
		{Name: "my-agent", Title: "My Agent"}:     "My Agent (AI)",
		{Name: "my-agent"}:                        "my-agent (AI)",
		{Name: "Helper (AI)"}:                     "Helper (AI)",
		{Name: "Ada\u202e\x00\n\tLove\u200blace"}: "Ada Lovelace (AI)",
		{Name: " \x01\u202e "}:                    "AI Agent",
		{Name: strings.Repeat("é", 100)}:          strings.Repeat("é", 40) + " (AI)",
		{Name: "x", Persona: "jupyter-ai-personas::jupyter_ai_acp_client::ClaudeAcpPersona"}:    "Claude",
		{Name: "x", Persona: "jupyter-ai-personas::jupyter_ai_jupyternaut::JupyternautPersona"}: "Jupyternaut",
		{Name: "x", Persona: "Persona"}:          "Persona (AI)",
		{Name: "claude-code", Persona: "a::b::"}: "Claude",
	} {
		f := New("")
		f.Said("c", self)
		got := f.Of("c")
		if got.Name != want || got.User.DisplayName != want {
			t.Errorf("%+v is called %q, want %q", self, got.Name, want)
		}
		if !strings.Contains(got.User.Name, "(AI)") || strings.Count(got.User.Name, "(AI)") != 1 {
			t.Errorf("%+v has the name %q in its profile", self, got.User.Name)
		}
		if !utf8.ValidString(got.User.Name) || utf8.RuneCountInString(got.User.Name) > maxName+5 {
			t.Errorf("%+v has the name %q", self, got.User.Name)
		}
	}
}

func names(f *Faces) string {
	var all []string
	for _, one := range f.All() {
		all = append(all, one.Name)
	}
	return strings.Join(all, ", ")
}

func TestOneNameForAll(t *testing.T) {
	f := New(" Duet ")
	f.Said("a", Self{Name: "claude-code"})
	f.Said("b", Self{Persona: "x::y::CodexAcpPersona"})
	if got := names(f); got != "Duet, Duet 2" {
		t.Errorf("they are called %s", got)
	}
	if !f.Met("duet") || names(f) != "Duet (AI), Duet 2" {
		t.Errorf("beside a person of the name they are called %s", names(f))
	}
}

// Nobody has the name of another client, nor of a person, whoever comes first.
func TestNobodyHasTheNameOfAnother(t *testing.T) {
	f := New("")
	for i := range 3 {
		f.Said(fmt.Sprint(i), Self{Name: "claude-code"})
	}
	f.Said("x", Self{Name: "Cursor"})
	if got := names(f); got != "Claude, Claude 2, Claude 3, Cursor" {
		t.Errorf("they are called %s", got)
	}
	if f.Met("Ada") || f.Met("") || f.Met(" \n") {
		t.Error("a person whose name nobody has changes something")
	}
	if !f.Met(" CLAUDE\u200b ") || names(f) != "Claude (AI), Claude 2, Claude 3, Cursor" {
		t.Errorf("when a person of the name has come they are called %s", names(f))
	}
	if f.Met("claude") {
		t.Error("the same person changes something again")
	}
	if !f.Met("claude (ai)") || !f.Met("Claude 3") {
		t.Error("a person with the other name changes nothing")
	}
	if got := names(f); got != "Claude 4, Claude 2, Claude 3 (AI), Cursor" {
		t.Errorf("they are called %s", got)
	}
	f.Forget("1")
	f.Forget("1")
	f.Said("9", Self{Name: "claude-ai"})
	if got := names(f); got != "Claude 4, Claude 3 (AI), Cursor, Claude 2" {
		t.Errorf("when one has left and another come they are called %s", got)
	}
}

func TestSaid(t *testing.T) {
	f := New("")
	if f.Said("a", Self{}) || f.Said("a", Self{Name: "claude-code"}) != true || f.Said("a", Self{Name: "claude-code"}) || f.Said("a", Self{}) {
		t.Error("a face changes when it does not, or does not when it does")
	}
	if f.Of("a").Name != "Claude" {
		t.Errorf("it is called %s", f.Of("a").Name)
	}
	if f.Said("a", Self{Name: "claude-ai"}) {
		t.Error("another name of the same client changes its face")
	}
	before := f.Of("a").User.Username
	if !f.Said("a", Self{Name: "claude-ai", Persona: "x::CodexAcpPersona"}) || f.Of("a").Name != "Codex" || f.Of("a").User.Username != before {
		t.Errorf("for a persona it is %+v", f.Of("a"))
	}
}

// Each has a colour and a username of its own, and a small picture that holds nothing of what others say but letters.
func TestLooks(t *testing.T) {
	f, g := New(""), New("")
	colors, users := map[string]bool{}, map[string]bool{}
	for i := range 20 {
		client := fmt.Sprint(i)
		f.Said(client, Self{Name: "claude-code"})
		g.Said(client, Self{Name: fmt.Sprintf("<b>&'\"%d", i)})
		for _, u := range []awareness.User{f.Of(client).User, g.Of(client).User} {
			if users[u.Username] || !strings.HasPrefix(u.Username, "nbduet-") {
				t.Errorf("the username %s", u.Username)
			}
			users[u.Username] = true
			picture, ok := strings.CutPrefix(*u.AvatarURL, "data:image/svg+xml,")
			svg, err := url.PathUnescape(picture)
			if !ok || err != nil || len(*u.AvatarURL) > 600 || strings.Contains(picture, `"`) || strings.Contains(svg, "<b>") || !strings.Contains(svg, ">"+u.Initials+"<") || !strings.Contains(svg, u.Color) {
				t.Errorf("the picture of %+v is %s", u, svg)
			}
		}
		colors[f.Of(client).User.Color] = true
	}
	if all := awareness.Colors(""); len(colors) != len(all) {
		t.Errorf("20 of them have %d colours of %d", len(colors), len(all))
	}
	if i := slices.IndexFunc(f.All(), func(one Face) bool { return !strings.HasPrefix(one.User.Username, f.Username()+"-") }); i >= 0 {
		t.Errorf("of another process: %+v", f.All()[i])
	}
}

func TestPersonsAreBounded(t *testing.T) {
	f := New("")
	f.Of("a")
	for i := range 3 * maxPersons {
		f.Met(fmt.Sprint("Ada ", i))
	}
	if len(f.persons) > maxPersons || len(f.met) > maxPersons {
		t.Errorf("%d names of people are kept", len(f.persons))
	}
}
