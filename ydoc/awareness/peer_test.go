package awareness_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestJupyterLabStateIsRead(t *testing.T) {
	s := awareness.State{Raw: json.RawMessage(`{"autosave":false,
		"user":{"username":"778e","name":"Anonymous Pasithee","display_name":"Anonymous Pasithee","initials":"AP",
			"avatar_url":"http://x/a.png","color":"var(--jp-collaborator-color2)"},
		"cursors":[{"anchor":{"type":{"client":0,"clock":12},"tname":null,"item":{"client":0,"clock":31},"assoc":0},
			"head":{"type":null,"tname":null,"item":null,"assoc":0},"primary":true,"empty":false}],
		"current":"notebook:dir/a.ipynb","documents":["dir/a.ipynb","b.py"]}`)}
	u, ok := s.User()
	avatar := "http://x/a.png"
	want := awareness.User{
		Username: "778e", Name: "Anonymous Pasithee", DisplayName: "Anonymous Pasithee", Initials: "AP",
		AvatarURL: &avatar, Color: "var(--jp-collaborator-color2)",
	}
	must.True(t, ok, must.Sprint("user"))
	test.Eq(t, want, u, test.Sprint("user"))
	c := s.Cursors()
	must.SliceLen(t, 1, c, must.Sprint("cursors"))
	test.True(t, c[0].Primary, test.Sprint("cursors"))
	test.False(t, c[0].Empty, test.Sprint("cursors"))
	test.StrContains(t, string(c[0].Anchor), `"clock":31`, test.Sprint("cursors"))
	test.Eq(t, "notebook:dir/a.ipynb", s.Current())
	test.False(t, s.Autosave())
}

func TestStatesOfAnyShapeAreTolerated(t *testing.T) {
	for _, raw := range []string{
		"", "null", "1", `"x"`, "[]", "[1,[2]]", "{}", `{"user":null}`, `{"user":7}`, `{"user":[]}`,
		`{"cursors":7,"current":{},"documents":"x","autosave":"no"}`, `{"cursors":[1,null,{"head":null},{"head":3,"empty":"x"}]}`,
		`{"documents":[1,null,{}]}`, `{"user":{"name":1,"display_name":[],"avatar_url":5}}`, `{"autosave":null}`,
	} {
		s := awareness.State{Raw: json.RawMessage(raw)}
		if u, _ := s.User(); u != (awareness.User{}) {
			t.Errorf("%s: user %+v", raw, u)
		}
		test.Eq(t, "", s.Current(), test.Sprint(raw))
		test.True(t, s.Autosave(), test.Sprint(raw))
		s.Cursors()
	}
}

func TestNamesAreCleaned(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"user": map[string]string{
		"display_name": "  Ann\n\x1b[31m\u202eevil ", "name": strings.Repeat("é", 5000),
	}})
	if err != nil {
		t.Fatal(err)
	}
	u, _ := awareness.State{Raw: raw}.User()
	test.Eq(t, "Ann[31mevil", u.DisplayName)
	test.Eq(t, 120, utf8.RuneCountInString(u.Name))
}

func TestUserEncodesAsJupyterLabExpects(t *testing.T) {
	b, err := json.Marshal(awareness.User{Username: "ai-agent", Name: "AI Agent", DisplayName: "AI Agent", Initials: "AI", Color: "#ff8800"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"username":"ai-agent","name":"AI Agent","display_name":"AI Agent","initials":"AI","avatar_url":null,"color":"#ff8800"}`
	if string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"AI Agent": "AI", "Anonymous Pasithee": "AP", "Anna Maria Weiß": "AW", "claude": "C", "élan vital": "ÉV",
		"": "?", " -- ": "?", "X": "X", "日本 太郎": "日太", "R2 D2": "RD", "o'neill": "ON", "e\u0301mile": "E\u0301",
	} {
		if got := awareness.Initials(name); got != want {
			t.Errorf("Initials(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestColorIsStableAndVaries(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range strings.Fields("ann bob cid dan eve fay gus hal ida jon kim lea max nia") {
		c := awareness.Color(name)
		test.Eq(t, awareness.Color(name), c)
		must.Eq(t, 7, len(c))
		test.Eq(t, '#', c[0])
		seen[c] = true
	}
	if len(seen) < 6 {
		t.Errorf("14 names have %d colours", len(seen))
	}
}
