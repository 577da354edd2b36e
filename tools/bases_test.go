package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/document/readset"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// another returns the same notebook for another client.
func (p *positions) another() *positions {
	p.T.Helper()
	r := *p.Rig
	r.Client = r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), Answers: tools.JSONAnswers})
	p.T.Cleanup(func() {
		if err := r.Client.Close(); err != nil {
			p.T.Error(err)
		}
	})
	return &positions{Rig: &r, path: p.path}
}

// Two clients write from different texts of one cell: the second client that changes a line is refused, each may repeat its
// call, and the person's lines stay.
func TestTwoClientsWithTwoBases(t *testing.T) {
	for _, first := range []string{"A", "B"} {
		t.Run(first+" is first", func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				a := newFourLines(toolstest.New(t))
				a.puts("1", "1 # typed")
				b := a.another()
				b.Read(b.path)
				a.puts("2", "2 # also typed")
				const typed = "one = 1 # typed\ntwo = 2 # also typed\n"
				fromA := strings.Replace(fourLines, "= 3", "= 33 + 1", 1)
				fromB := strings.Replace(strings.Replace(fourLines, "= 3", "= 44 - 2", 1), "1", "1 # typed", 1)
				sent, lost := fromA, fromB
				winner, loser, want := a, b, typed+"three = 33 + 1\nfour = 4"
				if first == "B" {
					winner, loser, want = b, a, typed+"three = 44 - 2\nfour = 4"
					sent, lost = fromB, fromA
				}
				if text, failed := winner.changes(sent); failed {
					t.Error(text)
				}
				a.is(want, "after the first")
				text, failed := loser.changes(lost)
				test.True(t, failed)
				test.StrContains(t, text, "nothing was changed")
				test.StrContains(t, text, "| one = 1 # typed\n| two = 2 # also typed")
				for range 2 {
					if text, failed := winner.changes(sent); failed {
						t.Errorf("the first repeats: %s", text)
					}
					a.is(want, "the first repeats")
					text, failed := loser.changes(lost)
					test.True(t, failed, test.Sprint("the second repeats"))
					test.StrNotContains(t, text, "\n| ", test.Sprint("the second repeats"))
					a.is(want, "the second repeats")
				}
				if text, failed := loser.changes(want + " # B"); failed {
					t.Error(text)
				}
				a.is(want+" # B", "the second goes on")
			})
		})
	}
}

// large returns a source of 5 MB that begins with a name.
func large(name string) string {
	return name + " = 1\n" + strings.Repeat("# one line of some length\n", 5_000_000/26)
}

// A base may have 5 MB. If the program has dropped it because of other bases, a whole source is refused, and nothing is
// lost.
func TestLargeBases(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		p := &positions{Rig: toolstest.New(t)}
		p.path = p.Server.Notebook(t, "a = 1", "b = 2", "c = 3", "d = 4", "e = 5")
		doc, err := p.Work.Open(t.Context(), jupyter.MustPath(p.path))
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		client := doc.As("client")
		changes := func(id, content string, force bool) error {
			_, err := client.Rewrite(t.Context(), []readset.Change{{Cell: id, Source: content, Force: force}})
			return err
		}
		writes := func(id, content string) {
			t.Helper()
			if err := changes(id, content, true); err != nil {
				t.Fatal(err)
			}
		}
		types := func(key string) {
			t.Helper()
			p.puts("\n", key+"\n")
		}
		is := func(want, when string) {
			t.Helper()
			if now := p.cell("c1"); now != want {
				t.Errorf("%s: the cell has %d characters and begins with %.40q; want %d and %.40q", when, len(now), now, len(want), want)
			}
		}
		was := large("b")
		writes("c1", was)
		types(" # typed")
		for range 2 {
			if err := changes("c1", was+"last = 1", false); err != nil {
				t.Error(err)
			}
			is("b = 1 # typed"+was[5:]+"last = 1", "merged")
		}
		for i, id := range []string{"c2", "c3", "c4"} {
			writes(id, large(fmt.Sprint("other", i)))
		}
		now := p.cell("c1")
		for range 2 {
			err := changes("c1", was+"last = 2", false)
			if err == nil {
				t.Fatal("not refused")
			}
			for _, want := range []string{"nothing was changed", "changed by someone else since you read it", "b = 1 # typed", "Read it, then give its revision"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %v", want, err)
				}
			}
			must.LessEq(t, 1000, len(err.Error()))
			test.StrNotContains(t, err.Error(), "no longer known")
			is(now, "forgotten")
		}
		c, _ := doc.Notebook().Cell("c1")
		client.Show(c)
		if err := changes("c1", now+"\nlast = 2", false); err != nil {
			t.Error(err)
		}
		is(now+"\nlast = 2", "read again")
	})
}
