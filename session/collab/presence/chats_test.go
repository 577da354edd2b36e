package presence

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// In chats each client has a username that is the same in other processes; an unidentified client is Duet there.
func TestUsersInChats(t *testing.T) {
	for self, want := range map[Self]string{
		{}:                                "nbduet",
		{Name: "duet"}:                    "nbduet",
		{Name: "NBDuet"}:                  "nbduet",
		{Name: "★ ★"}:                     "nbduet",
		{Name: "claude-code"}:             "nbduet-claude",
		{Name: "Visual Studio Code"}:      "nbduet-vs-code",
		{Name: "My  (odd) Agent_7 (AI)"}:  "nbduet-my-odd-agent-7",
		{Name: "Zoë", Title: "x"}:         "nbduet-x",
		{Name: strings.Repeat("é ", 100)}: "nbduet-" + strings.TrimSuffix(strings.Repeat("é-", 20), "-"),
	} {
		for range 2 {
			f := New("")
			f.Said("c", self)
			is := f.Of("c")
			u := is.InChats
			test.Eq(t, want, u.Username, test.Sprint(self))
			test.StrContains(t, u.Name, "(AI)", test.Sprint(self))
			test.True(t, Ours(u.Username), test.Sprint(self))
			client, ok := f.With(u.Username)
			test.Eq(t, want != Everybody, ok, test.Sprint(u.Username))
			test.False(t, ok && client != "c", test.Sprint(u.Username))
			if u.Username == Everybody {
				if u != Duet() {
					t.Errorf("%+v is in chats %+v", self, u)
				}
				continue
			}
			if u.Username = is.User.Username; u != is.User {
				t.Errorf("in chats %+v, in notebooks %+v", u, is.User)
			}
		}
	}
	test.False(t, Ours("nbduetto"), test.Sprint("a person's username is ours"))
	test.False(t, Ours("ada"), test.Sprint("a person's username is ours"))
	test.False(t, Ours(""), test.Sprint("a person's username is ours"))
}

// Usernames are unique, and stay when a person with the same name comes.
func TestUsernamesStay(t *testing.T) {
	f := New("")
	usernames := func() string {
		var all []string
		for _, one := range f.All() {
			all = append(all, one.InChats.Username+" "+one.InChats.DisplayName)
		}
		return strings.Join(all, ", ")
	}
	f.Of("a")
	changed := f.Changed()
	f.Said("a", Self{Name: "claude-code"})
	select {
	case <-changed:
	default:
		t.Error("it is not told that one has another name")
	}
	f.Said("b", Self{Name: "claude-code"})
	f.Said("x", Self{Name: "x y"})
	f.Said("y", Self{Name: "x-y"})
	if got := usernames(); got != "nbduet-claude Claude, nbduet-claude-2 Claude 2, nbduet-x-y x y (AI), nbduet-x-y-2 x-y (AI)" {
		t.Errorf("in chats they are %s", got)
	}
	changed = f.Changed()
	f.Met("Claude")
	f.Met("Claude (AI)")
	select {
	case <-changed:
	default:
		t.Error("it is not told that one has another name")
	}
	if got := usernames(); !strings.HasPrefix(got, "nbduet-claude Claude 3, nbduet-claude-2 Claude 2,") {
		t.Errorf("beside people of the name they are %s", got)
	}
	f.Forget("a")
	f.Said("c", Self{Name: "claude-ai"})
	got := f.Of("c").InChats
	test.Eq(t, "nbduet-claude-3", got.Username)
	test.Eq(t, "Claude 3", got.DisplayName)
}

// A client's activity is chosen from all places: continuing ones before momentary ones, otherwise the latest.
func TestDoing(t *testing.T) {
	f := New("")
	f.Of("a")
	does := func(text string, since int64, goes bool) Doing {
		return Doing{awareness.Status{Text: text, Since: since}, goes}
	}
	look := func(want string) {
		t.Helper()
		_, d, ok := f.Look("a")
		must.True(t, ok)
		test.Eq(t, want, d.Text)
	}
	look("")
	f.Does("a", 1, does(Reading, 1, false))
	f.Does("a", 2, does(Editing, 2, false))
	look(Editing)
	changed := f.Changed()
	f.Does("a", 2, does(Editing, 2, false))
	f.Does("b", 2, does(Editing, 2, false))
	select {
	case <-changed:
		t.Error("it is told though nothing has changed")
	default:
	}
	f.Does("a", 1, does("running cell 4", 1, true))
	look("running cell 4")
	f.Does("a", 3, does(Waiting, 3, true))
	if _, d, _ := f.Look("a"); !d.Listens() {
		t.Errorf("%+v does not listen", d)
	}
	f.Does("a", 3, Doing{})
	f.Does("a", 1, Doing{})
	look(Editing)
	f.Forget("a")
	_, d, ok := f.Look("a")
	test.False(t, ok)
	test.EqOp(t, Doing{}, d)
	test.SliceEmpty(t, f.All())
}
