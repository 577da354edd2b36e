package tools_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// textRefused are states in which a call of textWriters that removes text is refused, and whether the refusal shows the
// person's text.
var textRefused = map[string]struct {
	come  func(p *textPlace)
	shows bool
}{
	"never read": {func(p *textPlace) { p.person(typedLines) }, false},
	"typed since": {func(p *textPlace) {
		p.read(0, 100)
		p.person(typedLines)
	}, true},
	"typed between two readings": {func(p *textPlace) {
		p.read(0, 100)
		p.person(typedLines)
		p.read(0, 12)
	}, true},
	"typed between two readings and since": {func(p *textPlace) {
		p.read(0, 100)
		p.person(typedLines)
		p.read(0, 12)
		p.person(typedLines + "typed too\n")
	}, true},
}

// typedLines is threeLines after a person has changed the second one.
var typedLines = strings.Replace(threeLines, "two", "typed", 1)

// After a refusal, a person's text in a text document is removed only with the revision of the refusal, with force, or by
// another change of the text that the refusal showed.
func TestNextTextCallAfterARefusal(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(textWriters)) {
		if !textWriters[tool].removes {
			continue // it adds
		}
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(textRefused)) {
					for next, does := range map[string]func(p *textPlace, args toolstest.Dict, revision string) toolstest.Dict{
						"the same": func(_ *textPlace, args toolstest.Dict, _ string) toolstest.Dict { return args },
						"with the revision": func(_ *textPlace, args toolstest.Dict, revision string) toolstest.Dict {
							if revision == "" || tool == "edit_text" {
								return nil
							}
							return toolstest.With(args, "revision", revision)
						},
						"with force": func(_ *textPlace, args toolstest.Dict, _ string) toolstest.Dict {
							if tool != "overwrite_document" {
								return nil
							}
							return toolstest.With(args, "force", true)
						},
						"other content": func(_ *textPlace, args toolstest.Dict, _ string) toolstest.Dict {
							return replaced(args, `"length":4`, `"length":5`, `"text":"2"`, `"text":"3"`, "a line", "another", `"new_text":""`, `"new_text":"other"`)
						},
						"by an old position": func(p *textPlace, args toolstest.Dict, _ string) toolstest.Dict {
							p.person("above\n" + typedLines)
							return args
						},
						"after a partial read": func(p *textPlace, args toolstest.Dict, _ string) toolstest.Dict {
							p.person("above\n" + typedLines)
							p.read(0, 6)
							return args
						},
					} {
						p := &textPlace{Rig: r, path: r.TextFile(threeLines)}
						textRefused[state].come(p)
						args := toolstest.With(textWriters[tool].args, "path", p.path)
						res := p.Call(tool, args)
						text := toolstest.MessageOf(res)
						if !res.IsError || !strings.Contains(p.now(), "typed") {
							t.Errorf("%s: answered %s; the text is %q", state, text, p.now())
							continue
						}
						(&positions{Rig: r}).refusesWell(tool, text, false)
						revision := ""
						if said := saidRevision.FindAllStringSubmatch(text, -1); textRefused[state].shows && len(said) > 0 {
							revision = said[len(said)-1][1]
						}
						given := does(p, args, revision)
						if given == nil {
							continue
						}
						goes := next == "with the revision" || next == "with force" || next == "other content" && revision != "" && tool != "edit_text"
						for again := range 3 {
							res = p.Call(tool, given)
							text = toolstest.MessageOf(res)
							switch now := p.now(); {
							case next == "after a partial read" && strings.Contains(now, "typed") && !res.IsError:
								given = nil // the position refers to the last answer, in words that were read
							case res.IsError == goes, strings.Contains(now, "typed") == goes:
								t.Errorf("%s, %s: answered %s; the text is %q", state, next, text, now)
							}
							if goes || given == nil {
								break
							}
							(&positions{Rig: r}).refusesWell(tool, text, next == "the same" || again > 0)
						}
					}
				}
			})
		})
	}
}
