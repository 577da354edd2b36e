package resource

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/session/store/project"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

var update = flag.Bool("update", false, "write the pages instead of comparing with them")

// Each page matches the contract exactly.
func TestContextPages(t *testing.T) {
	p, err := project.Parse(strings.Replace(sample.Shop, "Raw files in, one", "Raw files in to one", 1))
	if err != nil {
		t.Fatal(err)
	}
	auth, _ := p.Module("auth")
	uber, _ := p.Module("über uns")
	began := time.Date(2026, 1, 15, 10, 0, 0, 123, time.UTC)
	work := activity.Session{
		ID: "abc12345def", Status: activity.Active, Started: began, Until: began, ToolCalls: 12,
		Files:  []activity.File{{Path: "a.ipynb", Count: 3, Last: began.Add(time.Minute)}, {Path: "b.md", Count: 1, Last: began}},
		Topics: []string{"sales", "tax\nlaw"}, Discoveries: make([]activity.Discovery, 2),
	}
	over := activity.Session{ID: "0123456789", Status: activity.Ended, Started: began.Add(-time.Hour), Until: began.Add(-time.Hour + 90*time.Second)}
	now := began.Add(2*time.Hour + 15*time.Minute + 3*time.Second)
	for name, got := range map[string]string{
		"overview": overviewPage(p), "module": modulePage(auth), "module_bare": modulePage(uber),
		"current": currentPage(work, now), "recent": recentPage([]activity.Session{work, over}, now),
		"recent_none": recentPage(nil, now),
	} {
		file := filepath.Join("testdata", "context", name+".md")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		must.NoError(t, err, must.Sprint(name))
		test.Eq(t, got, string(want), test.Sprint(name))
	}
}

func TestContextPagesAreCut(t *testing.T) {
	p := &project.Project{}
	p.Project.Name = "x"
	for i := range 5000 {
		p.Modules = append(p.Modules, project.Module{Name: fmt.Sprint("module ", i), Description: "Überall viel zu sagen"})
	}
	var m project.Module
	for range 2000 {
		m.Patterns = append(m.Patterns, strings.Repeat("ä", 100))
	}
	work := activity.Session{ID: "12345678"}
	for range 200 {
		work.Topics = append(work.Topics, strings.Repeat("t", 200))
	}
	many := make([]activity.Session, 100)
	for i := range many {
		many[i] = work
	}
	for _, c := range []struct {
		text  string
		limit int
	}{
		{overviewPage(p), 50_000},
		{modulePage(m), 20_000},
		{currentPage(work, time.Now()), 10_000},
		{recentPage(many, time.Now()), 50_000},
	} {
		body, _, cut := strings.Cut(c.text, "\n… cut at ")
		test.True(t, cut)
		must.LessEq(t, c.limit, len(c.text))
		must.GreaterEq(t, c.limit/2, len(c.text))
		test.StrHasSuffix(t, "\n", body)
		test.True(t, utf8.ValidString(body))
	}
}

func TestSpokenDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 seconds", 0: "0 seconds", time.Second: "1 second", 59*time.Second + 1: "59 seconds", time.Minute: "1 minute",
		time.Hour: "1 hour", 2*time.Hour + 15*time.Minute + time.Second: "2 hours 15 minutes", 25*time.Hour + time.Minute: "1 day 1 hour", 72 * time.Hour: "3 days",
	} {
		if got := spoken(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
