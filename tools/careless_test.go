package tools_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/ydoc"
)

// A client that writes from memory, repeats refused calls and reads little, beside two people who type, removes none of
// their characters, unless it was shown the character and left it out, or used force. NBDUET_CARELESS_SEEDS=n sets the
// number of random programs, and NBDUET_CARELESS_SEED the first.
func TestCarelessClient(t *testing.T) {
	const atOnce = 10
	first, count := number(t, "NBDUET_CARELESS_SEED", 0), number(t, "NBDUET_CARELESS_SEEDS", 20)
	for from := first; from < first+count; from += atOnce {
		t.Run(strconv.Itoa(from), func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for seed := from; seed < min(from+atOnce, first+count) && !t.Failed(); seed++ {
					newCareless(r, uint64(seed)).plays()
				}
			})
		})
	}
}

// number returns a number that the environment may set.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s is %q, not a number", name, s)
	}
	return n
}

// careless is a client that works from memory.
type careless struct {
	*positions
	seed    uint64
	rng     *rand.Rand
	keys    *keys
	typists []*typist

	knows map[string]known // by cell
	order []string         // the cells as the client knows them
	last  *attempt         // the last call, if it was refused
	marks int              // number of words that the client has written

	honest bool // the people show that they are people

	mayGo  map[rune]bool // characters that the client was shown and has left out, or has forced away
	copied map[rune]bool // characters that the client has copied into another cell
	log    []string
}

// known is the client's knowledge of a cell.
type known struct {
	own   []string // texts from which it makes new ones
	shown string   // the text that it was last shown or has sent
	asked bool     // by a refusal
}

// attempt is a call that changes a cell.
type attempt struct {
	name, cell string
	args       toolstest.Dict
	from, to   string // of a new source, or of a replaced text
	words      bool   // it replaces a text within the cell
	deletes    bool
	forced     bool
	named      bool // it gives the revision of from
	revision   string
}

func newCareless(r *toolstest.Rig, seed uint64) *careless {
	c := &careless{
		positions: &positions{Rig: r}, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)), keys: &keys{in: map[rune]string{}},
		knows: map[string]known{}, mayGo: map[rune]bool{}, copied: map[rune]bool{},
	}
	var sources []string
	for i := range 3 + c.rng.IntN(4) {
		sources = append(sources, fmt.Sprintf("v%d = %d\n# cell %[1]d\nprint(v%[1]d)", i, i*10))
	}
	if c.prints() {
		sources = append(sources, printsLate)
	}
	c.path = r.Server.Notebook(r.T, sources...)
	return c
}

// prints reports whether the kernel keeps printing from a thread, into the last cell.
func (c *careless) prints() bool { return c.seed%5 == 1 }

const printsLate = `import threading, time
def late():
    for i in range(200):
        time.sleep(0.02)
        print(i, flush=True)
threading.Thread(target=late).start()`

// plays runs one program and checks the result.
func (c *careless) plays() {
	defer c.tellsSeed("NBDUET_CARELESS")
	if c.seed%4 == 0 {
		c.opens("overwrite_cell_source")
	}
	c.besideTwo(func() {
		c.reads(toolstest.Dict{})
		if c.prints() {
			c.Good("execute_nb_cells", toolstest.Dict{"path": c.path, "force": true, "ranges": []toolstest.Dict{{"id": c.order[len(c.order)-1]}}}, nil)
		}
		if jupytertest.Real() { // where earlier carets are unknown, a model thinks for longer than a hand takes to the keys
			time.Sleep(time.Second)
		}
		for range 10 + c.rng.IntN(11) {
			time.Sleep(time.Duration(c.rng.IntN(150)) * time.Millisecond)
			c.acts()
		}
	}, c.checks)
}

// tellsSeed says how to repeat a program that has failed.
func (c *careless) tellsSeed(variables string) {
	if c.T.Failed() {
		c.T.Logf("to see it again: %s_SEED=%d %[1]s_SEEDS=1\n%[3]s", variables, c.seed, strings.Join(c.log, "\n"))
	}
}

// besideTwo calls act while two people type, and check when they have stopped.
func (c *careless) besideTwo(act, check func()) {
	t := c.T
	stop := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	quit := sync.OnceFunc(func() { close(stop) })
	defer quit()
	for i := range 2 {
		p := sessiontest.PersonIn(t, c.Srv, c.path)
		defer p.Leave()
		y := &typist{
			Person: p, rng: rand.New(rand.NewPCG(c.seed, uint64(i+1))), keys: c.keys, t: t,
			shows: map[string]any{"user": map[string]any{"username": fmt.Sprint("p", i), "name": fmt.Sprint("P", i)}},
		}
		if c.disguised() {
			y.shows["agent"] = "nbduet"
		}
		p.Show(y.shows)
		c.typists = append(c.typists, y)
		wg.Go(func() { y.types(stop) })
	}
	act()
	quit()
	wg.Wait()
	check()
}

// disguised reports whether the people claim to be agents, whose typing calls do not wait for.
func (c *careless) disguised() bool { return !c.honest && c.seed%3 != 0 }

// acts makes one call, or two if one was refused.
func (c *careless) acts() {
	if c.last != nil && c.rng.IntN(10) < 7 {
		c.insists(*c.last)
		return
	}
	if len(c.order) == 0 {
		c.reads(toolstest.Dict{})
		return
	}
	i := c.rng.IntN(len(c.order))
	id := c.order[i]
	where := toolstest.Dict{"id": id}
	if c.rng.IntN(2) == 0 {
		where = toolstest.Dict{"start": i}
	}
	switch n := c.rng.IntN(20); {
	case n < 2:
		c.reads(toolstest.Dict{})
	case n < 5:
		args := toolstest.Dict{"ranges": []toolstest.Dict{where}}
		if c.rng.IntN(3) == 0 {
			args["maxCellData"] = 12
		}
		c.reads(args)
	case n < 12:
		from := c.ownText(id)
		c.tries(attempt{name: "modify_nb_cells", cell: id, from: from, args: toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": where}}}}.with(c.changed(from)))
	case n < 14:
		from := c.ownText(id)
		if c.seed%4 != 0 || from == "" {
			return
		}
		c.tries(attempt{name: "overwrite_cell_source", cell: id, from: from, args: toolstest.Dict{"cell_id": id}}.with(c.changed(from)))
	case n < 16:
		lines := strings.Split(c.ownText(id), "\n")
		old := lines[c.rng.IntN(len(lines))]
		if old == "" {
			return
		}
		put := c.mark()
		if c.rng.IntN(2) == 0 {
			put = old + " " + put
		}
		args := toolstest.Dict{"path": c.path, "old_text": old, "new_text": put}
		if c.rng.IntN(3) > 0 {
			args["cell_id"] = id
		}
		c.tries(attempt{name: "edit_text", cell: id, from: old, to: put, words: true, args: args})
	case n < 18 && jupytertest.Real() && c.disguised():
		// A server drops keys typed into a text that it has deleted. Cells of people are deleted and moved when that cannot
		// happen.
	case n < 17:
		c.tries(attempt{name: "delete_nb_cells", cell: id, deletes: true, args: toolstest.Dict{"ranges": []toolstest.Dict{where}}})
	case n < 18:
		c.tries(attempt{name: "move_nb_cells", cell: id, args: toolstest.Dict{"ranges": []toolstest.Dict{where}, "position": c.rng.IntN(len(c.order) + 1)}})
	default:
		source := c.mark() + " = 1"
		c.tries(attempt{name: "insert_nb_cells", to: source, args: toolstest.Dict{"exec": false, "position": c.rng.IntN(len(c.order) + 1), "cells": []toolstest.Dict{{"content": source}}}})
	}
}

// insists follows a refused call.
func (c *careless) insists(a attempt) {
	whole := a.from != "" && !a.words
	switch n := c.rng.IntN(10); {
	case n < 4 || a.revision == "":
		for range 1 + c.rng.IntN(2) {
			c.tries(a)
		}
	case n < 6 && (whole || a.deletes):
		a.args, a.named, a.from = withRevision(a.args, a.revision), true, c.knows[a.cell].shown
		c.tries(a)
	case n < 7 && (whole || a.deletes):
		a.args, a.forced = toolstest.With(a.args, "force", true), true
		c.tries(a)
	case whole && n < 9:
		a.from = c.knows[a.cell].shown
		c.tries(a.with(c.changed(a.from)))
	case whole:
		a.from = c.ownText(a.cell)
		c.tries(a.with(c.changed(a.from)))
	default:
		c.last = nil
	}
}

// with returns the call with a whole new source.
func (a attempt) with(content string) attempt {
	a.to = content
	if of, ok := a.args["modifications"].([]toolstest.Dict); ok {
		one := toolstest.With(of[0], "content", content)
		delete(one, "revision")
		a.args = toolstest.With(a.args, "modifications", []toolstest.Dict{one})
	} else {
		a.args = toolstest.With(a.args, "cell_source", content)
		delete(a.args, "revision")
	}
	delete(a.args, "force")
	a.named, a.forced = false, false
	return a
}

// ownText returns one of the texts that the client knows for a cell.
func (c *careless) ownText(id string) string {
	own := c.knows[id].own
	if len(own) == 0 {
		return "unknown"
	}
	return own[c.rng.IntN(len(own))]
}

// mark returns a word that the client has not written yet.
func (c *careless) mark() string {
	c.marks++
	return fmt.Sprintf("w%d", c.marks)
}

// changed returns a text with one change by the client.
func (c *careless) changed(text string) string {
	lines := strings.Split(text, "\n")
	i := c.rng.IntN(len(lines))
	switch n := c.rng.IntN(6); {
	case n == 0:
		lines = append(lines, c.mark())
	case n == 1:
		lines = slices.Insert(lines, i, c.mark())
	case n == 2:
		lines[i] = c.mark() + " = 1"
	case n == 3 && len(lines) > 1 && len(text) > len(lines[i])+1: // something is left
		lines = slices.Delete(lines, i, i+1)
	case n == 4:
		lines[i] = strings.Replace(lines[i], " ", " "+c.mark()+" ", 1)
	default:
		lines[i] += " # " + c.mark()
	}
	return strings.Join(lines, "\n")
}

// reads makes the client read cells.
func (c *careless) reads(args toolstest.Dict) {
	text, failed := c.call("read_nb_cells", args)
	c.logs("read_nb_cells", args, text)
	if failed {
		return
	}
	var read notebook.ReadResult
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		c.T.Fatal(err)
	}
	if len(read.Cells) == read.CellCount {
		c.order = nil
	}
	for _, cell := range read.Cells {
		if len(read.Cells) == read.CellCount {
			c.order = append(c.order, cell.ID)
		}
		if !cell.Truncated.Source {
			c.knows[cell.ID] = known{own: []string{cell.Source}, shown: cell.Source}
		}
	}
}

func (c *careless) logs(name string, args toolstest.Dict, answer string) {
	b, err := json.Marshal(args)
	if err != nil {
		c.T.Fatal(err)
	}
	c.log = append(c.log, fmt.Sprintf("%s %s\n\t%s", name, b, strings.ReplaceAll(answer, "\n", "\n\t")))
}

var (
	saidCell  = regexp.MustCompile(`cell "([^"]+)" \(|"cell_ids": ?\["([^"]+)"|"cell_id": ?"([^"]+)"`)
	saidShown = regexp.MustCompile(`It is now, at revision "\w+":\n((?:\| .*\n)*)`)
)

// tries makes a call and records its effect.
func (c *careless) tries(a attempt) {
	args := a.args
	if c.rng.IntN(3) == 0 || jupytertest.Real() {
		args = toolstest.With(args, "wait", 0)
	}
	_, before := c.Room(c.path)
	text, failed := c.call(a.name, args)
	c.logs(a.name, args, text)
	if m := saidCell.FindStringSubmatch(text); m != nil && !a.words {
		if landed := m[1] + m[2] + m[3]; landed != a.cell { // by an index that means another cell now
			c.markAll(c.copied, a.to)
			a.cell, a.from = landed, c.knows[landed].shown
		}
	}
	k := c.knows[a.cell]
	if failed {
		c.last = &a
		if a.deletes && a.forced { // text typed before all had the deletion is removed, also where it was undone
			c.forces(a.cell)
		}
		if m := saidRevision.FindAllStringSubmatch(text, -1); m != nil {
			a.revision = m[len(m)-1][1]
		}
		if m := saidShown.FindStringSubmatch(text); m != nil {
			var lines []string
			for line := range strings.Lines(m[1]) {
				lines = append(lines, strings.TrimSuffix(line[2:], "\n"))
			}
			k.shown, k.asked = strings.Join(lines, "\n"), true
			k.own = append(k.own, k.shown)
			c.knows[a.cell] = k
		}
		return
	}
	c.last = nil
	switch {
	case a.deletes:
		_, after := c.Room(c.path)
		for _, cell := range before {
			if slices.ContainsFunc(after, func(now ydoc.Cell) bool { return now.ID == cell.ID }) {
				continue
			}
			if a.forced {
				c.forces(cell.ID)
			} else if a.named || !c.knows[cell.ID].asked {
				c.markAll(c.mayGo, c.knows[cell.ID].shown)
			}
		}
	case a.words:
		c.leavesOut(a.from, a.to)
	case a.name == "insert_nb_cells":
		c.knows[a.cell] = known{own: []string{a.to}, shown: a.to}
	case a.name != "move_nb_cells":
		if a.forced {
			c.forces(a.cell)
		}
		c.leavesOut(a.from, a.to)
		if k.asked && !a.named {
			c.leavesOut(k.shown, a.to)
		}
		var out notebook.ModifyResult
		k = known{own: []string{a.to}, shown: a.to}
		if json.Unmarshal([]byte(text), &out) == nil && len(out.Merged) > 0 && !out.Merged[0].Truncated {
			k.shown = out.Merged[0].Source
			k.own = append(k.own, k.shown)
		}
		c.knows[a.cell] = k
	}
}

// leavesOut records that the client may remove the characters of a text that its new text lacks.
func (c *careless) leavesOut(from, to string) {
	for _, r := range from {
		if !strings.ContainsRune(to, r) {
			c.mayGo[r] = true
		}
	}
}

func (c *careless) markAll(in map[rune]bool, text string) {
	for _, r := range text {
		in[r] = true
	}
}

// forces records that the client may remove all characters typed into a cell.
func (c *careless) forces(cell string) {
	for r, in := range c.keys.all() {
		if in == cell {
			c.mayGo[r] = true
		}
	}
}

// checks waits until all have the same notebook, and compares it with the typed characters.
func (c *careless) checks() {
	all := c.counts()
	for _, y := range c.typists {
		for _, burst := range y.bursts {
			last := -1
			for _, r := range burst {
				if c.mayGo[r] || c.copied[r] {
					continue
				}
				at := strings.IndexRune(all, r)
				if at >= 0 && at < last {
					c.T.Errorf("seed %d: %c of %s is in another place", c.seed, r, string(burst))
				}
				last = at
			}
		}
	}
}

// counts waits until all have the same notebook, checks that it has each character once, and returns its text.
func (c *careless) counts() (all string) {
	t := c.T
	text := func(cells []ydoc.Cell) string {
		var b strings.Builder
		for _, cell := range cells {
			fmt.Fprintf(&b, "%s:%s\n", cell.ID, cell.Source)
		}
		return b.String()
	}
	sessiontest.Eventually(t, "all have the same notebook", func() bool {
		_, cells := c.Room(c.path)
		all = text(cells)
		return !slices.ContainsFunc(c.typists, func(y *typist) bool { return text(y.Notebook.Cells()) != all })
	})
	for r, cell := range c.keys.all() {
		switch n := strings.Count(all, string(r)); {
		case n == 0 && !c.mayGo[r]:
			t.Errorf("seed %d: %c, which was typed into %s, is gone", c.seed, r, cell)
		case n > 1 && !c.copied[r]:
			t.Errorf("seed %d: %c, which was typed into %s, is there %d times", c.seed, r, cell, n)
		}
	}
	if t.Failed() {
		t.Logf("the notebook:\n%s", all)
	}
	return all
}
