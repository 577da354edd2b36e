package seeds

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/e2e/agent"
)

// shop is a project file, with a comment.
const shop = `# ours
project: {name: My SaaS App, type: fullstack, path: /srv/app}
tech: {stack: [python, react], runtime: CPython 3.13, packageManager: uv}
architecture: {pattern: mvc, description: Server renders}
modules:
  - name: auth
    description: Authentication and authorization
    keyFiles:
      - {path: src/auth.py, role: entry, description: Start here}
    patterns:
      - Use JWT tokens in httpOnly cookies
      - Implement token refresh with mutex locks
    businessRules:
      - Lock after five tries
    commonIssues:
      - {description: Tokens expire early, solution: Sync the clock, discoveredAt: 2025-01-15T10:00:00Z, sessionId: abc12345}
    dependencies: [users, mail]
  - name: users
    description: Who there is
`

// Seed 004: knowledge of the project and of earlier work.
func checkContext(c *check) {
	file := c.Server.Name(c, ".yaml")
	state := c.TempDir() + "/state.db"
	run := func() *program {
		return startWith(c, agent.Options{Args: []string{"--project=" + file}, Env: reaching(c.Server.URL, c.Server.Token, "NBDUET_STATE="+state)})
	}
	p := run()
	says := func(uri string) string { return text(p.resource(uri).Result, "contents.0.text") }

	// The listed resources.
	all := listed(p)
	for id, want := range map[string][3]string{
		"004.001": {"context://project/overview", "Project Overview", "High-level project information, tech stack, and architecture"},
		"004.002": {"context://session/current", "Current Session", "Active session information and activity"},
		"004.003": {"context://sessions/recent", "Recent Sessions", "List of recent coding sessions"},
	} {
		r := all[want[0]]
		c.row(id, text(r, "name") == want[1] && text(r, "description") == want[2] && text(r, "mimeType") == "text/markdown", r)
	}
	template := find(list(p.ask("resources/templates/list", dict{}).Result, "resourceTemplates"), "uriTemplate", "context://module/{name}")
	c.row("004.004", all["context://module/{name}"] == nil && text(template, "name") == "Module Detail" && text(template, "description") == "Detailed module information including patterns, rules, and issues", template)

	// Before anything is recorded.
	c.row("004.005", strings.Contains(says("context://project/overview"), "There is no project file"))
	c.row("004.006", strings.Contains(says("context://session/current"), "No active session"))
	c.row("004.007", strings.HasPrefix(says("context://sessions/recent"), "# Recent Sessions (0)"))

	c.Server.Write(c, file, shop)
	overview := p.resource("context://project/overview")
	c.row("004.008", text(overview.Result, "contents.0.uri") == "context://project/overview" && text(overview.Result, "contents.0.mimeType") == "text/markdown" && text(overview.Result, "contents.0.text") != "", overview.Raw)
	lines(c, 9, text(overview.Result, "contents.0.text"), `^# Project: My SaaS App$`, `^\*\*Type:\*\* fullstack`, `^\*\*Path:\*\* /srv/app`, `^## Tech Stack$`, `^- \*\*Stack:\*\* python, react$`,
		`^- \*\*Runtime:\*\* CPython 3.13$`, `^- \*\*Package Manager:\*\* uv$`, `^## Architecture$`, `^\*\*Pattern:\*\* mvc`, `^\*\*Description:\*\* Server renders$`, `^## Modules \(2\)$`, `^### auth$`, `^Authentication and authorization$`,
		`^\*\*Key Files:\*\*$`, `^- src/auth.py \(entry\)$`, `^\*\*Patterns:\*\* 2`, `^\*\*Business Rules:\*\* 1`, `^\*\*Common Issues:\*\* 1`)
	module := says("context://module/auth")
	lines(c, 27, module, `^# Module: auth$`, `^Authentication and authorization$`, `^## Key Files$`, `^### src/auth.py$`, `^\*\*Role:\*\* entry`, `^Start here$`, `^## Patterns \(2\)$`, `^- Use JWT tokens in httpOnly cookies$`, `^## Business Rules \(1\)$`,
		`^- Lock after five tries$`, `^## Common Issues \(1\)$`, `^### Tokens expire early$`, `^\*\*Solution:\*\* Sync the clock`, `^\*\*Discovered:\*\* 2025-01-15T10:00:00Z \(Session: abc12345\)$`, `^## Dependencies$`, `^users, mail$`)
	c.row("004.043", strings.HasSuffix(strings.TrimSpace(says("context://module/users")), "## Dependencies\n\nNone"))
	missing := p.resource("context://module/invalidModule")
	c.row("004.044", missing.Code == -32602 && missing.Message == "Module not found: invalidModule", missing.Raw)
	c.row("004.045", text(missing.Data, "resource") == "context://module/invalidModule" && strings.HasPrefix(text(missing.Data, "reason"), "Module 'invalidModule' not found in"), missing.Raw)
	completed := p.ask("completion/complete", dict{"ref": dict{"type": "ref/resource", "uri": "context://module/{name}"}, "argument": dict{"name": "name", "value": "a"}})
	c.row("004.046", fmt.Sprint(list(completed.Result, "completion.values")) == "[auth]" && listed(p)["context://module/users"] != nil, completed.Raw)

	// The work of this session.
	var paths []string
	for i := range 13 {
		paths = append(paths, c.Server.Write(c, c.Server.Name(c, ".md"), fmt.Sprint(i)))
		p.good("get_document_content", dict{"path": paths[i]})
	}
	p.good("get_document_content", dict{"path": paths[1]})
	p.good("record_context", dict{"topics": []string{"auth work", "t2"}, "discovery": "found"})
	current := says("context://session/current")
	lines(c, 47, current, `^# Active Session$`, `^\*\*Started:\*\* \d{4}-\d\d-\d\dT`, `^\*\*Duration:\*\* \d+ (second|minute|hour)`, `^\*\*Status:\*\* \w+`, `^## Files Accessed \(13\)$`, `^### `+regexp.QuoteMeta(paths[1])+`$`, `^\*\*Access Count:\*\* 2`,
		`^\*\*Last Accessed:\*\* \d{4}`, `^## Topics \(2\)$`, `^- auth work$`, `^## Activity Summary$`, `^- \*\*Tool Calls:\*\* \d+$`, `^- \*\*Discoveries:\*\* 1$`)
	c.row("004.060", strings.Count(current, "\n### ") == 10 && strings.Contains(current, "## Files Accessed (13)\n\n### "+paths[1]), current)
	c.row("004.061", strings.Contains(current, "- **Tool Calls:** 15\n"), current)
	p.good("get_base_url", nil)
	c.row("004.062", strings.Contains(says("context://session/current"), "- **Tool Calls:** 16\n"))

	// Earlier sessions.
	second := run()
	second.good("get_document_content", dict{"path": paths[0]})
	second.good("record_context", dict{"topics": []string{"t2"}})
	recent := second.resource("context://sessions/recent?limit=2")
	c.row("004.063", text(recent.Result, "contents.0.uri") == "context://sessions/recent?limit=2", recent.Raw)
	page := text(recent.Result, "contents.0.text")
	lines(c, 64, page, `^# Recent Sessions \(2\)$`, `^## Session [0-9a-zA-Z-]{8}$`, `^\*\*Started:\*\* \d{4}`, `^\*\*Duration:\*\* \d+`, `^\*\*Status:\*\* active`, `^\*\*Files:\*\* 1 `, `^\*\*Topics:\*\* t2 `, `^\*\*Discoveries:\*\* 0`)
	for range 10 {
		one := run()
		one.good("get_base_url", nil)
		one.stop()
	}
	third := run()
	history := text(third.resource("context://sessions/recent").Result, "contents.0.text")
	c.row("004.072", strings.HasPrefix(history, "# Recent Sessions (10)\n") && strings.Contains(text(third.resource("context://sessions/recent?limit=20").Result, "contents.0.text"), "auth work"), history)
	c.row("004.079", strings.Count(history, "\n## Session ") == 10, history)
	for id, limit := range map[string]string{"004.073": "abc", "004.074": "0", "004.075": "-1", "004.076": "1.5", "004.077": "101", "004.078": ""} {
		a := p.resource("context://sessions/recent?limit=" + limit)
		c.row(id, a.Code == -32602 && strings.HasPrefix(a.Message, "Invalid limit"), a.Raw)
	}
	for id, uri := range map[string]string{"004.080": "context://nonsense/x", "004.081": "context://", "004.082": "context:bad uri", "004.083": "context://session/other"} {
		c.row(id, p.resource(uri).Code == -32600, p.resource(uri).Raw)
	}

	// The file is read again after a change, even one by the program.
	c.Server.Write(c, file, strings.Replace(shop, "My SaaS App", "Another one", 1))
	c.row("004.084", eventually(func() bool { return strings.Contains(says("context://project/overview"), "# Project: Another one") }))
	p.good("record_context", dict{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"})
	c.row("004.085", strings.Contains(says("context://module/auth"), "- Never log tokens\n"))
	c.row("004.086", eventually(func() bool {
		now := c.Server.Read(c, file)
		return strings.HasPrefix(now, "# ours\n") && strings.Contains(now, "- Never log tokens")
	}))
	c.row("004.096", p.ask("resources/write", dict{"uri": "context://project/overview"}).Code == -32601)
	if a := p.ask("resources/subscribe", dict{"uri": "context://session/current"}); a.Code != 0 {
		c.Fatal(a.Raw)
	}
	p.good("get_base_url", nil)
	c.row("004.095", eventually(func() bool {
		return find(results(p.noted("notifications/resources/updated")), "uri", "context://session/current") != nil
	}))
	c.Server.Write(c, file, "project:\n  name: [broken\n")
	c.row("004.087", eventually(func() bool { return p.resource("context://project/overview").Code == -32603 }))
	c.row("004.094", p.logs(`msg="Resource read failed" uri=context://module/invalidModule .*(error|reason)=`), p.Log())
	checkSizes(c, p, file)
}

// lines checks consecutive rows of seed 004 with patterns for the lines of a page.
func lines(c *check, row int, page string, patterns ...string) {
	c.Helper()
	for i, pattern := range patterns {
		c.row(fmt.Sprintf("004.%03d", row+i), regexp.MustCompile("(?m)"+pattern).MatchString(page), pattern, page)
	}
}

// Seed 004's limits.
func checkSizes(c *check, p *program, file string) {
	var many, patterns strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, "  - {name: module %d, description: There is much to say about this one}\n", i)
		fmt.Fprintf(&patterns, "      - %d %s\n", i, strings.Repeat("ä", 50))
	}
	c.Server.Write(c, file, "project: {name: Large}\nmodules:\n  - name: auth\n    patterns:\n"+patterns.String()+many.String())
	size := func(uri string) int { return len(text(p.resource(uri).Result, "contents.0.text")) }
	c.row("004.088", eventually(func() bool { n := size("context://project/overview"); return n > 25_000 && n <= 50_000 }))
	c.row("004.089", size("context://module/auth") > 10_000 && size("context://module/auth") <= 20_000)
	for i := range 100 {
		p.good("record_context", dict{"topics": []string{fmt.Sprint(i, strings.Repeat(" topic", 30))}})
	}
	n := size("context://session/current")
	c.row("004.090", n > 5_000 && n <= 10_000, n)
	n = size("context://sessions/recent?limit=100")
	c.row("004.091", n > 0 && n <= 50_000, n)
	c.row("004.092", len(p.resource("context://project/overview").Raw) <= 100_000)
}
