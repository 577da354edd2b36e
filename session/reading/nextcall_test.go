package reading_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// refusing are states in which a call that deletes the second cell, or gives it another first line, is refused: typed is what
// a person has in that line.
var refusing = map[string]func(p *positions){
	"never read": func(p *positions) { p.typesLine("b = typed") },
	"typed since": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
	},
	"typed 70 times since": func(p *positions) {
		p.Read(p.path)
		p.types70()
	},
	"typed between two readings": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
		p.Read(p.path)
	},
	"typed since, and the notebook was left": func(p *positions) {
		p.Read(p.path)
		p.typesLine("b = typed")
		p.leaves()
	},
}

// typesLine has a person change the first line of the second cell.
func (p *positions) typesLine(line string) {
	p.T.Helper()
	p.person(func(e *ydoc.Editor) error { return e.SetSource("c1", line+"\n# b") })
}

// placing are the tools that name a cell or a place by an index and destroy no text, and why. Their calls are in named.
var placing = map[string]string{
	"insert_nb_cells":             "adds",
	"notebook_add_cell":           "adds",
	"insert_cell":                 "adds",
	"insert_execute_code_cell":    "adds",
	"move_nb_cells":               "keeps the text; see TestNextMoveAfterARefusal",
	"move_cell":                   "the same",
	"notebook_move_cell":          "the same",
	"execute_nb_cells":            "is of outputs",
	"execute_cell":                "is of outputs",
	"execute_cell_simple_timeout": "is of outputs",
	"execute_cell_streaming":      "is of outputs",
	"execute_cell_with_progress":  "is of outputs",
	"clear_cell_output":           "is of outputs, which running makes again",
}

// wordEdits are the tools that replace words of a cell, each called for the words "b = 2" of the second cell.
var wordEdits = map[string]toolstest.Dict{
	"edit_text":        {"cell_id": "c1", "old_text": "b = 2", "new_text": "new"},
	"edit_cell_source": {"cell_id": "c1", "old_string": "b = 2", "new_string": "new"},
}

// harmless are the tools that write and can lose no text of a person, and why.
var harmless = map[string]string{
	"restart_nb_kernel":      "is of variables and outputs",
	"restart_notebook":       "is of variables",
	"assign_nb_kernel":       "is of variables",
	"answer_input":           "is of a run",
	"cancel_run":             "is of a run",
	"interrupt_execution":    "is of a run",
	"execute_code":           "runs in no cell",
	"execute_ipython":        "runs in no cell",
	"session_create":         "starts a kernel",
	"session_delete":         "is of variables",
	"use_notebook":           "opens a notebook",
	"unuse_notebook":         "closes a notebook",
	"end_nb_session":         "leaves a room",
	"end_document_session":   "leaves a room",
	"notebook_create":        "is a new file; see TestNewFilesReplaceNone",
	"notebook_import":        "the same",
	"notebook_from_template": "the same",
	"create_document":        "the same",
	"copy_document":          "the same",
	"rename_document":        "the same",
	"delete_document":        "is of a file, which is named by its path",
	"reply":                  "adds a cell",
	"record_context":         "adds to a file of the project",
	"undo_agent":             "takes back what the client itself wrote, and keeps what others did",
	"redo_agent":             "makes that again",
	"call_tool":              "is the tool that it calls",
}

// Every tool that writes has its calls in a table, or a reason why it loses no text, and no table has a tool that does not
// exist or does not write.
func TestAllWritersAreTested(t *testing.T) {
	indexed := map[string]bool{}
	for name := range named {
		tool, _, _ := strings.Cut(name, ".")
		indexed[tool] = true
	}
	writes := map[string]bool{}
	for _, d := range tools.Definitions() {
		if d.Hints.ReadOnly {
			continue
		}
		writes[d.Name] = true
		_, ofCells := destroying[d.Name]
		_, ofTexts := textWriters[d.Name]
		_, ofWords := wordEdits[d.Name]
		_, ofPlaces := placing[d.Name]
		_, no := harmless[d.Name]
		in := 0
		for _, is := range []bool{ofCells || ofTexts || ofWords, ofPlaces, no} {
			if is {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s is in %d of the tables of what can be refused, of places and of what is harmless; want 1", d.Name, in)
		}
		if ofPlaces && !indexed[d.Name] || no && indexed[d.Name] {
			t.Errorf("%s names a place: %t", d.Name, indexed[d.Name])
		}
	}
	for _, all := range []map[string]bool{keysOf(destroying), keysOf(textWriters), keysOf(wordEdits), keysOf(placing), keysOf(harmless), indexed} {
		for name := range all {
			if !writes[name] {
				t.Errorf("there is no tool %s that writes", name)
			}
		}
	}
}

func keysOf[V any](m map[string]V) map[string]bool {
	keys := make(map[string]bool, len(m))
	for k := range m {
		keys[k] = true
	}
	return keys
}

// advised are the arguments that a refusal may name, by how it names them.
var advised = map[string]*regexp.Regexp{
	"force":    regexp.MustCompile(`\bforce\b`),
	"revision": regexp.MustCompile(`\b[Gg]ive (this|its|the) revision`),
	"wait":     regexp.MustCompile(`\bwait: |give wait|wait true`),
}

// arguments are the names of the arguments of all tools. To derive them takes longer than a call.
var arguments = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, d := range tools.Definitions() {
		var in any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			panic(err) // the schema is made by this program
		}
		all[d.Name] = argumentsIn(in)
	}
	return all
})

// refusesWell checks a refusal: it names only arguments that the tool has, and, if the same was refused before, it does not
// show the cell or the difference again.
func (p *positions) refusesWell(tool, text string, again bool) {
	p.T.Helper()
	for argument, is := range advised {
		if is.MatchString(text) && !slices.Contains(arguments()[tool], argument) {
			p.T.Errorf("%s has no argument %s: answered %s", tool, argument, text)
		}
	}
	if again && (strings.Contains(text, "\n| ") || strings.Contains(text, "Their change")) {
		p.T.Errorf("%s: refused again in more than a line: answered %s", tool, text)
	}
}

// nextCalls are what a client does after a refusal of a call for the second cell, and whether that goes through. revision is
// the one that the refusal showed; args returns nil if the tool has no such call.
var nextCalls = map[string]struct {
	args func(p *positions, tool, revision string) toolstest.Dict
	goes bool
}{
	"the same": {func(_ *positions, tool, _ string) toolstest.Dict { return destroying[tool].byID }, false},
	"with the revision": {func(_ *positions, tool, revision string) toolstest.Dict {
		return withRevision(destroying[tool].byID, revision)
	}, true},
	"with force": {func(_ *positions, tool, _ string) toolstest.Dict {
		return toolstest.With(destroying[tool].byID, "force", true)
	}, true},
	"other content": {func(_ *positions, tool, _ string) toolstest.Dict {
		return replaced(destroying[tool].byID, `"new"`, `"other"`)
	}, true},
	"by an old index": {func(p *positions, tool, _ string) toolstest.Dict {
		p.person(putsAbove)
		return destroying[tool].byIndex
	}, false},
	"by an index after a partial read": {func(p *positions, tool, _ string) toolstest.Dict {
		p.person(putsAbove)
		p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
		return replaced(destroying[tool].byIndex, `"start":1`, `"start":2`, `"cell_index":1`, `"cell_index":2`, `[1]`, `[2]`)
	}, false},
}

// replaced are the arguments with other texts in their JSON; nil if none of them is there.
func replaced(args toolstest.Dict, oldnew ...string) toolstest.Dict {
	before, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	var out toolstest.Dict
	after := strings.NewReplacer(oldnew...).Replace(string(before))
	if after == string(before) || json.Unmarshal([]byte(after), &out) != nil {
		return nil
	}
	return out
}

// Whatever a client does after a refusal, what a person has typed is destroyed only with the revision that the refusal showed,
// with force, or by other content, which counts as a change from what it showed.
func TestNextCallAfterARefusal(t *testing.T) {
	for _, tool := range slices.Sorted(maps.Keys(destroying)) {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(refusing)) {
					for _, next := range slices.Sorted(maps.Keys(nextCalls)) {
						p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
						p.opens(tool)
						refusing[state](p)
						text, failed := p.call(tool, destroying[tool].byID)
						said := saidRevision.FindAllStringSubmatch(text, -1)
						if !failed || len(said) == 0 || !strings.Contains(p.cell("c1"), "typed") {
							t.Errorf("%s: answered %s; the cell is %q", state, text, p.cell("c1"))
							continue
						}
						p.refusesWell(tool, text, false)
						p.nextCall(tool, state, next, said[len(said)-1][1])
					}
				}
			})
		})
	}
}

// nextCall makes a call of nextCalls, and again if it must be refused. By an index it is another call at first.
func (p *positions) nextCall(tool, state, next, revision string) {
	p.T.Helper()
	step := nextCalls[next]
	args := step.args(p, tool, revision)
	if args == nil {
		return
	}
	before, _ := p.sources()
	text, failed := p.call(tool, args)
	if step.goes {
		if failed || strings.Contains(p.cell("c1"), "typed") {
			p.T.Errorf("%s, %s: answered %s; the cell is %q", state, next, text, p.cell("c1"))
		}
		return
	}
	for again := range 3 {
		if now, _ := p.sources(); !failed || now != before {
			p.T.Errorf("%s, %s: answered %s; the cells are %q", state, next, text, now)
		}
		p.refusesWell(tool, text, next == "the same" || again > 0)
		text, failed = p.call(tool, args)
	}
}

// A call by an index that was never shown, or whose cell is gone, is refused as often as it is made, if it is refused at all,
// also with force. After that, and after a reading of another cell, no cell is changed that the client was not shown.
func TestNextIndexAfterARefusal(t *testing.T) {
	for state, c := range map[string]struct {
		come func(p *positions)
		must bool // each call for a cell is refused
	}{
		"never shown":         {func(*positions) {}, false},
		"its cell is deleted": {func(p *positions) { p.Read(p.path); p.person(func(e *ydoc.Editor) error { return e.Delete("c1") }) }, true},
	} {
		t.Run(state, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, name := range slices.Sorted(maps.Keys(named)) {
					tool, _, _ := strings.Cut(name, ".")
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c", "d = 4\n# d")}
					p.opens(tool)
					c.come(p)
					before, _ := p.sources()
					text, failed := p.call(tool, named[name].args)
					if c.must && !named[name].adds && !failed {
						t.Errorf("%s: answered %s", name, text)
					}
					for range 2 {
						if !failed {
							break
						}
						p.refusesWell(tool, text, false)
						if text, failed = p.call(tool, named[name].args); !failed {
							t.Errorf("%s: the same call goes through: %s", name, text)
						}
						p.refusesWell(tool, text, true)
						if now, ran := p.sources(); now != before || ran != nil {
							t.Errorf("%s: refused with %s; the cells are %q, and %q ran", name, text, now, ran)
						}
					}
					p.person(putsAbove)
					p.keeps(name, named[name].args, "unread", "# a", "# c", "# d")
					forced := toolstest.With(named[name].args, "force", true)
					p.keeps(name, forced, "unread", "# a", "# d") // and of c2, if that is in the range
					p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
					p.keeps(name, named[name].args, "unread", "# d") // it is of c0 now
				}
			})
		})
	}
}

// keeps makes a call after which each of these texts is in the notebook as often as before.
func (p *positions) keeps(name string, args toolstest.Dict, texts ...string) {
	p.T.Helper()
	tool, _, _ := strings.Cut(name, ".")
	before, _ := p.sources()
	text, failed := p.call(tool, args)
	if failed {
		p.refusesWell(tool, text, false)
	}
	now, _ := p.sources()
	for _, s := range texts {
		if strings.Count(now, s) != strings.Count(before, s) {
			p.T.Errorf("%s %v: answered %s; %q is gone from %q", name, args, text, s, now)
		}
	}
}

// A move with a revision of before a person typed is refused until it names the revision of the refusal, or with force, and
// what was typed stays in any case.
func TestNextMoveAfterARefusal(t *testing.T) {
	for name, tool := range revised {
		if tool.does != moves {
			continue
		}
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, next := range []string{"with the revision", "with force"} {
					p := newRevised(r, name)
					old := p.Read(p.path).Revision
					p.typesLine("b = typed")
					text, failed := p.call(name, tool.args(old))
					for again := range 3 {
						if _, cells := p.Room(p.path); !failed || cells[1].ID != "c1" {
							t.Errorf("answered %s", text)
						}
						p.refusesWell(name, text, again > 0)
						text, failed = p.call(name, tool.args(old))
					}
					args := toolstest.With(tool.args(old), "force", true)
					if next == "with the revision" {
						said := saidRevision.FindAllStringSubmatch(text, -1)
						args = tool.args(said[len(said)-1][1])
					}
					text, failed = p.call(name, args)
					if _, cells := p.Room(p.path); failed || cells[0].ID != "c1" || !strings.Contains(cells[0].Source, "typed") {
						t.Errorf("%s: answered %s; the first cell is %+v", next, text, cells[0])
					}
				}
			})
		})
	}
}

// An edit of words that a person has changed is refused as often as it is made, by the id of its cell and by its index.
func TestNextEditAfterARefusal(t *testing.T) {
	for tool, byID := range wordEdits {
		t.Run(tool, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, state := range slices.Sorted(maps.Keys(refusing)) {
					p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b", "c = 3\n# c")}
					p.opens("edit_cell_source")
					refusing[state](p)
					next := func(what string, args toolstest.Dict, goes bool) {
						t.Helper()
						if tool == "edit_text" {
							args = toolstest.With(args, "path", p.path)
						}
						text, failed := p.call(tool, args)
						if failed == goes || strings.Contains(p.cell("c1"), "typed") == goes {
							t.Errorf("%s, %s: answered %s; the cell is %q", state, what, text, p.cell("c1"))
						}
						if failed {
							p.refusesWell(tool, text, false)
						}
					}
					next("first", byID, false)
					next("the same", byID, false)
					next("the same again", byID, false)
					next("other content", replaced(byID, `"new"`, `"other"`), false)
					p.person(putsAbove)
					if tool == "edit_cell_source" {
						byIndex := toolstest.With(byID, "cell_index", 1)
						delete(byIndex, "cell_id")
						next("by an old index", byIndex, false)
						p.reads(toolstest.Dict{"ranges": []toolstest.Dict{{"id": "c0"}}})
						next("by an index after a partial read", toolstest.With(byIndex, "cell_index", 2), false)
					}
					next("the words that are there", replaced(byID, `"b = 2"`, `"`+strings.TrimSuffix(p.cell("c1"), "\n# b")+`"`), true)
				}
			})
		})
	}
}

// textRefused are states in which a call of textWriters that removes is refused, and whether the refusal shows what a person
// has typed.
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

// After a refusal, what a person has typed in a text document goes only with the revision of the refusal, with force, or by
// another change of what the refusal showed.
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
								given = nil // the position is one of the last answer, in words that were read
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

// alreadyThere is how a refusal says that a path is taken.
var alreadyThere = regexp.MustCompile(`exist|already`)

// A tool that makes a new file replaces none that is there, as often as it is called.
func TestNewFilesReplaceNone(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		other := r.Server.Notebook(t, "other")
		for tool, args := range map[string]func(p *positions) toolstest.Dict{
			"notebook_create": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"session_id": r.Create(toolstest.Dict{"notebook_path": other}).ID, "name": p.path}
			},
			"notebook_import": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": p.path, "content": "<!-- srcbook:{\"language\":\"python\"} -->\n\n# new\n"}
			},
			"notebook_from_template": func(p *positions) toolstest.Dict { return toolstest.Dict{"path": p.path, "pattern": "clean_data"} },
			"create_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": p.path, "type": "notebook"}
			},
			"copy_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": other, "copyPath": p.path}
			},
			"rename_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": other, "newPath": p.path}
			},
		} {
			p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", "b = 2\n# b")}
			p.typesLine("b = typed")
			given := args(p)
			for range 2 {
				res := p.Call(tool, given)
				if said := toolstest.MessageOf(res); !res.IsError || !alreadyThere.MatchString(said) {
					t.Errorf("%s: answered %s", tool, said)
				}
				if p.cell("c1") != "b = typed\n# b" {
					t.Errorf("%s: the cell is %q", tool, p.cell("c1"))
				}
			}
		}
	})
}

// typesKeys has a person type so many keys at the end of the second cell.
func (p *positions) typesKeys(keys int) {
	p.T.Helper()
	p.typesEach(keys, func(_ int, source string) string { return source + "k" })
}

// types70 has a person type 70 times in the first line of the second cell.
func (p *positions) types70() {
	p.T.Helper()
	p.typesEach(70, func(n int, _ string) string { return "b = typed" + strings.Repeat("x", n) + "\n# b" })
}

// typesEach has a person make so many edits of the second cell, and waits once for all.
func (p *positions) typesEach(times int, next func(n int, source string) string) {
	p.T.Helper()
	doc, err := p.Work.Open(p.T.Context(), jupyter.MustPath(p.path))
	if err != nil {
		p.T.Fatal(err)
	}
	defer doc.Release()
	for n := range times {
		if err := doc.Notebook().Edit("type", func(e *ydoc.Editor) error {
			c, _ := e.Cell("c1")
			return e.SetSource("c1", next(n, c.Source))
		}); err != nil {
			p.T.Fatal(err)
		}
	}
	if err := doc.Settled(p.T.Context()); err != nil {
		p.T.Fatal(err)
	}
}

// A whole source is merged with any number of keys that a person has typed elsewhere in the cell since it was read, right away
// and after the notebook was left, and the same call again takes none of them back.
func TestMergeAfterManyKeys(t *testing.T) {
	for _, keys := range []int{10, 70, 400, 5000} {
		for _, left := range []bool{false, true} {
			jupytertest.Beside(t, func(t *testing.T) {
				p := &positions{Rig: toolstest.New(t)}
				p.path = p.Server.Notebook(t, "a = 1\n# a", "b = 2\n# b")
				p.Read(p.path)
				typed := strings.Repeat("k", keys)
				p.typesKeys(keys)
				if left {
					p.leaves()
				}
				for range 2 {
					if text, failed := p.call("modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c1"}, "content": "b = 3\n# b"}}}); failed {
						t.Errorf("%d keys, left %t: %s", keys, left, text)
					}
					if now := p.cell("c1"); now != "b = 3\n# b"+typed {
						t.Errorf("%d keys, left %t: the cell has %d characters", keys, left, len(now))
					}
				}
			})
		}
	}
}
