package resource

import (
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/session/store/project"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// The largest size of each resource, in bytes.
const (
	maxOverview = 50_000
	maxModule   = 20_000
	maxCurrent  = 10_000
	maxRecent   = 50_000
)

// topFiles is the maximum number of files named for a session.
const topFiles = 10

// unsaid replaces values that the project file leaves out.
const unsaid = "not stated"

func said(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return unsaid
	}
	return s
}

func commaList(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// An mdPage is a Markdown page that is being written.
type mdPage struct{ strings.Builder }

func (p *mdPage) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// overviewPage is context://project/overview.
func overviewPage(p *project.Project) string {
	var w mdPage
	w.line("# Project: %s\n", said(p.Project.Name))
	w.line("**Type:** %s  \n**Path:** %s\n", said(p.Project.Type), said(p.Project.Path))
	w.line("## Tech Stack\n")
	w.line("- **Stack:** %s\n- **Runtime:** %s\n- **Package Manager:** %s\n", commaList(p.Tech.Stack, unsaid), said(p.Tech.Runtime), said(p.Tech.PackageManager))
	w.line("## Architecture\n")
	w.line("**Pattern:** %s  \n**Description:** %s\n", said(p.Architecture.Pattern), said(p.Architecture.Description))
	w.line("## Modules (%d)", len(p.Modules))
	for _, m := range p.Modules {
		w.line("\n### %s", m.Name)
		if m.Description != "" {
			w.line("%s", strings.TrimSpace(m.Description))
		}
		w.line("\n**Key Files:**")
		for _, f := range m.KeyFiles {
			w.line("- %s (%s)", f.Path, said(f.Role))
		}
		w.line("\n**Patterns:** %d  \n**Business Rules:** %d  \n**Common Issues:** %d", len(m.Patterns), len(m.BusinessRules), len(m.CommonIssues))
	}
	if len(p.Notes) > 0 {
		bullets(&w, "Left out of the project file", p.Notes)
	}
	return cutPage(w.String(), maxOverview, "context://module/{name} has each module")
}

// noOverviewPage is context://project/overview without a project file.
func noOverviewPage(path string) string {
	var w mdPage
	w.line("# Project: %s\n", unsaid)
	w.line("There is no project file %s on the Jupyter server. With one, its type, tech stack, architecture and modules would be here, and each module at %s{name}:\n", textfmt.Quoted(path), URIModule)
	w.line("```yaml\nproject: {name: …, type: …, path: …}\ntech: {stack: [python], runtime: …, packageManager: …}\narchitecture: {pattern: …, description: …}\nmodules:\n" +
		"  - name: …\n    description: …\n    keyFiles:\n      - {path: …, role: …}\n    patterns: []\n    businessRules: []\n    commonIssues: []\n    dependencies: []\n```\n")
	w.line("## Modules (0)")
	return w.String()
}

// noCurrentPage is context://session/current for a client that has not called a tool.
func noCurrentPage() string {
	var w mdPage
	w.line("# Active Session\n")
	w.line("No active session: it begins with this client's first tool call. Its start, duration, status and accessed files are shown here then.\n")
	w.line("## Files Accessed (0)\n\n## Topics (0)\n\n## Activity Summary\n\n- **Tool Calls:** 0\n- **Discoveries:** 0")
	return w.String()
}

// modulePage is context://module/{name}.
func modulePage(m project.Module) string {
	var w mdPage
	w.line("# Module: %s", m.Name)
	if m.Description != "" {
		w.line("\n%s", strings.TrimSpace(m.Description))
	}
	w.line("\n## Key Files")
	for _, f := range m.KeyFiles {
		w.line("\n### %s\n**Role:** %s  ", f.Path, said(f.Role))
		if f.Description != "" {
			w.line("%s", strings.TrimSpace(f.Description))
		}
	}
	bullets(&w, "Patterns", m.Patterns)
	bullets(&w, "Business Rules", m.BusinessRules)
	w.line("\n## Common Issues (%d)", len(m.CommonIssues))
	for _, i := range m.CommonIssues {
		w.line("\n### %s\n**Solution:** %s  \n**Discovered:** %s (Session: %s)", oneLine(i.Description), said(i.Solution), said(i.DiscoveredAt), said(i.SessionID))
	}
	w.line("\n## Dependencies\n\n%s", commaList(m.Dependencies, "None"))
	return cutPage(w.String(), maxModule, "the project file has all of it")
}

func bullets(w *mdPage, title string, list []string) {
	w.line("\n## %s (%d)\n", title, len(list))
	for _, text := range list {
		w.line("- %s", strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  "))
	}
}

// currentPage is context://session/current.
func currentPage(s activity.Session, now time.Time) string {
	var w mdPage
	w.line("# Active Session\n")
	w.line("**Started:** %s  \n**Duration:** %s  \n**Status:** %s\n", second(s.Started), spoken(now.Sub(s.Started)), s.Status)
	w.line("## Files Accessed (%d)", len(s.Files))
	for _, f := range s.Files[:min(topFiles, len(s.Files))] {
		w.line("\n### %s\n**Access Count:** %d  \n**Last Accessed:** %s", f.Path, f.Count, second(f.Last))
	}
	w.line("\n## Topics (%d)\n", len(s.Topics))
	for _, t := range s.Topics {
		w.line("- %s", oneLine(t))
	}
	w.line("\n## Activity Summary\n\n- **Tool Calls:** %d\n- **Discoveries:** %d", s.ToolCalls, len(s.Discoveries))
	return cutPage(w.String(), maxCurrent, "further topics are left out")
}

// recentPage is context://sessions/recent.
func recentPage(list []activity.Session, now time.Time) string {
	var w mdPage
	w.line("# Recent Sessions (%d)", len(list))
	for _, s := range list {
		until := lo.Ternary(s.Status == activity.Active, now, s.Until)
		w.line("\n## Session %s\n**Started:** %s  \n**Duration:** %s  \n**Status:** %s  \n**Files:** %d  \n**Topics:** %s  \n**Discoveries:** %d",
			s.ID[:min(8, len(s.ID))], second(s.Started), spoken(until.Sub(s.Started)), s.Status, len(s.Files), oneLine(commaList(s.Topics, "none")), len(s.Discoveries))
	}
	return cutPage(w.String(), maxRecent, "give a smaller limit")
}

// second formats a time to the second.
func second(t time.Time) string { return tool.Stamp(t.Truncate(time.Second)) }

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// spoken formats a duration in words: "2 hours 15 minutes".
func spoken(d time.Duration) string {
	minutes := int(d / time.Minute)
	days, hours, minutes := minutes/(24*60), minutes/60%24, minutes%60
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{days, "day"}, {hours, "hour"}, {minutes, "minute"}} {
		if p.n > 0 && len(parts) < 2 {
			parts = append(parts, textfmt.Plural(p.n, p.unit))
		}
	}
	if parts == nil {
		return textfmt.Plural(max(0, int(d/time.Second)), "second")
	}
	return strings.Join(parts, " ")
}

// cutPage cuts a page that is too large at the end of a line, and adds a note about it.
func cutPage(s string, limit int, instead string) string {
	if len(s) <= limit {
		return s
	}
	note := "\n… cut at " + textfmt.Kilobytes(limit) + " of " + textfmt.Kilobytes(len(s)) + ": " + instead + "\n"
	end := strings.LastIndexByte(s[:limit-len(note)], '\n') + 1
	return s[:end] + note
}
