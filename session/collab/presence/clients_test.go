package presence

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

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
		test.Eq(t, want, got.Name, test.Sprint(self))
		test.Eq(t, want, got.User.DisplayName, test.Sprint(self))
		test.StrContains(t, got.User.Name, "(AI)", test.Sprint(self))
		test.Eq(t, 1, strings.Count(got.User.Name, "(AI)"), test.Sprint(self))
		test.True(t, utf8.ValidString(got.User.Name), test.Sprint(self))
		test.LessEq(t, maxName+5, utf8.RuneCountInString(got.User.Name), test.Sprint(self))
	}
}

func names(f *Clients) string {
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
	test.True(t, f.Met("duet"))
	test.Eq(t, "Duet (AI), Duet 2", names(f))
}

// No client has the name of another client or of a person, whichever comes first.
func TestNobodyHasTheNameOfAnother(t *testing.T) {
	f := New("")
	for i := range 3 {
		f.Said(fmt.Sprint(i), Self{Name: "claude-code"})
	}
	f.Said("x", Self{Name: "Cursor"})
	if got := names(f); got != "Claude, Claude 2, Claude 3, Cursor" {
		t.Errorf("they are called %s", got)
	}
	test.False(t, f.Met("Ada"), test.Sprint("a person whose name nobody has changes something"))
	test.False(t, f.Met(""), test.Sprint("a person whose name nobody has changes something"))
	test.False(t, f.Met(" \n"), test.Sprint("a person whose name nobody has changes something"))
	test.True(t, f.Met(" CLAUDE\u200b "))
	test.Eq(t, "Claude (AI), Claude 2, Claude 3, Cursor", names(f))
	if f.Met("claude") {
		t.Error("the same person changes something again")
	}
	test.True(t, f.Met("claude (ai)"), test.Sprint("a person with the other name changes nothing"))
	test.True(t, f.Met("Claude 3"), test.Sprint("a person with the other name changes nothing"))
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
	test.False(t, f.Said("a", Self{}), test.Sprint("an appearance changes when it does not, or does not when it does"))
	test.Eq(t, true, f.Said("a", Self{Name: "claude-code"}), test.Sprint("an appearance changes when it does not, or does not when it does"))
	test.False(t, f.Said("a", Self{Name: "claude-code"}), test.Sprint("an appearance changes when it does not, or does not when it does"))
	test.False(t, f.Said("a", Self{}), test.Sprint("an appearance changes when it does not, or does not when it does"))
	if f.Of("a").Name != "Claude" {
		t.Errorf("it is called %s", f.Of("a").Name)
	}
	if f.Said("a", Self{Name: "claude-ai"}) {
		t.Error("another name of the same client changes its appearance")
	}
	before := f.Of("a").User.Username
	test.True(t, f.Said("a", Self{Name: "claude-ai", Persona: "x::CodexAcpPersona"}))
	test.Eq(t, "Codex", f.Of("a").Name)
	test.Eq(t, before, f.Of("a").User.Username)
}

// Each client has a separate colour and username, and a small picture that contains only letters from others.
func TestLooks(t *testing.T) {
	f, g := New(""), New("")
	colors, users := map[string]bool{}, map[string]bool{}
	for i := range 20 {
		client := fmt.Sprint(i)
		f.Said(client, Self{Name: "claude-code"})
		g.Said(client, Self{Name: fmt.Sprintf("<b>&'\"%d", i)})
		for _, u := range []awareness.User{f.Of(client).User, g.Of(client).User} {
			test.False(t, users[u.Username])
			test.StrHasPrefix(t, "nbduet-", u.Username)
			users[u.Username] = true
			picture, ok := strings.CutPrefix(*u.AvatarURL, "data:image/svg+xml,")
			svg, err := url.PathUnescape(picture)
			must.True(t, ok)
			must.NoError(t, err)
			must.LessEq(t, 600, len(*u.AvatarURL))
			test.StrNotContains(t, picture, `"`)
			test.StrNotContains(t, svg, "<b>")
			test.StrContains(t, svg, ">"+u.Initials+"<")
			test.StrContains(t, svg, u.Color)
		}
		colors[f.Of(client).User.Color] = true
	}
	if all := awareness.Colors(""); len(colors) != len(all) {
		t.Errorf("20 of them have %d colours of %d", len(colors), len(all))
	}
	if i := slices.IndexFunc(f.All(), func(one Appearance) bool { return !strings.HasPrefix(one.User.Username, f.Username()+"-") }); i >= 0 {
		t.Errorf("of another process: %+v", f.All()[i])
	}
}

func TestPersonsAreBounded(t *testing.T) {
	f := New("")
	f.Of("a")
	for i := range 3 * maxPersons {
		f.Met(fmt.Sprint("Ada ", i))
	}
	must.LessEq(t, maxPersons, len(f.persons))
	test.LessEq(t, maxPersons, len(f.met))
}
