package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	program "github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// cell is a cell as read_nb_cells shows it.
type cell = program.Cell

// kind is an answer's claim about its call.
type kind int

const (
	surprising kind = iota // not classifiable
	made                   // made, or shown with its present content
	notMade                // not made, or not shown
	unsure                 // not known, or shown with an earlier content
)

func (k kind) String() string { return []string{"surprising", "made", "not made", "unsure"}[k] }

// answer is the answer to a call and its duration.
type answer struct {
	kind kind
	text string
	took time.Duration
	then time.Duration // duration of a second call after it
}

func (a answer) String() string { return fmt.Sprintf("%v: %.600s", a.kind, a.text) }

// operation is a kind of request from a client.
type operation struct {
	name string
	// code are further cells of its notebook, after c0, which is `x = 1`.
	code []string
	// runs is set if it may take as long as a run's answer, waits if it waits for a run and not for the server: even if
	// the server is known to be away, because the kernel is given up only some seconds later.
	runs    bool
	waits   bool
	prepare func(context.Context, *trial) error
	call    func(context.Context, *trial) answer
	// check compares the answer with the notebook's final cells.
	check func(context.Context, *trial, []cell) error
}

func (o operation) sources() []string { return append([]string{"x = 1"}, o.code...) }

// slow is a cell that runs until the outage, and not much longer.
const slow = "import time\ntime.sleep(4)\nprint('ran to its end')"

var operations = []operation{
	{name: "read", call: readThrough, check: shown},
	{name: "edit then read", call: editThenRead, check: edited},
	{name: "edit", call: edit, check: edited},
	{name: "insert", call: insert, check: inserted},
	{name: "delete", code: []string{"y = 2"}, call: deleteCell, check: deleted},
	{name: "move", code: []string{"y = 2"}, call: move, check: moved},
	{name: "run", runs: true, code: []string{slow}, call: runLong, check: ran},
	{name: "wait", runs: true, waits: true, code: []string{slow}, prepare: startLong, call: waitLong, check: ran},
	{name: "image", runs: true, code: []string{picture}, prepare: draw, call: showImage, check: nothingElse},
	{name: "resource", prepare: findResource, call: readResource, check: shown},
	{name: "subscription", prepare: findResource, call: subscribe, check: notified},
	{name: "end", prepare: confirmedEdit, call: endSession, check: ended},
}

// tool calls a tool and classifies its answer.
func (s *site) tool(ctx context.Context, name string, args map[string]any) answer {
	a, err := s.agent.Call(ctx, name, args)
	if err != nil {
		return classified(err.Error(), true)
	}
	return classified(a.Text, a.IsError)
}

// classified classifies an answer by the program's phrases.
func classified(text string, failed bool) answer {
	a := answer{text: text, kind: made}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	switch {
	case !failed && has(`"server_away"`), failed && has("not confirmed yet", "not known whether"):
		a.kind = unsure
	case failed && has("not made", "nothing was changed", "nothing was", "not read", "has been away", "has not answered", "unreachable", "cannot be reached", "being rejoined"):
		a.kind = notMade
	case failed:
		a.kind = surprising
	}
	return a
}

// hear keeps an answer's report of lost edits.
func (x *trial) hear(a answer) {
	var note struct {
		Overwritten string `json:"overwritten"`
	}
	if json.Unmarshal([]byte(a.text), &note) == nil && note.Overwritten != "" {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.lost += note.Overwritten
	}
}

// read returns the cells that the program shows, without those of probe.
func (x *trial) read(ctx context.Context) ([]cell, error) {
	a := x.tool(ctx, "read_nb_cells", map[string]any{"path": x.path})
	x.hear(a)
	if a.kind != made {
		return nil, errors.New(a.text)
	}
	var shown program.Cells
	if err := json.Unmarshal([]byte(a.text), &shown); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(shown.Cells, func(c cell) bool { return c.Source == probes }), nil
}

// independent reads a notebook's room through pycrdt, as "id source" by cell.
func (s *site) independent(ctx context.Context, path string) ([]string, error) {
	a := newPatient(s.t, s.server.URL, s.server.Token)
	d, err := a.Open(ctx, jupyter.MustPath(path))
	if err != nil {
		return nil, err
	}
	defer d.Release()
	f, err := pycrdt()
	if err != nil {
		return nil, err
	}
	p := &foreignPeer{f: f, name: "reader of " + path}
	if err := p.open(ctx, s.server, a, d); err != nil {
		return nil, err
	}
	all, err := p.read(ctx)
	_, closed := p.do(ctx, map[string]any{"do": "close"})
	return slices.DeleteFunc(all, func(c string) bool { return strings.HasSuffix(c, " "+probes) }), errors.Join(err, closed)
}

func readThrough(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "read_nb_cells", map[string]any{"path": x.path})
}

// shown checks operations that show the notebook: a present view must include the other client's edit.
func shown(ctx context.Context, x *trial, now []cell) error {
	if x.phase == long && x.outage.others && x.answer.kind == made && !strings.Contains(x.answer.text, others) {
		return errors.New("what somebody else has written is not in it, and it does not say as of when it is")
	}
	return nothingElse(ctx, x, now)
}

// nothingElse checks operations that change nothing.
func nothingElse(_ context.Context, x *trial, now []cell) error {
	var got []string
	for _, c := range now {
		got = append(got, c.Source)
	}
	if !slices.Equal(got, x.op.sources()) {
		return fmt.Errorf("the cells are %q", got)
	}
	return nil
}

func edit(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "overwrite_cell_source", map[string]any{"notebook_name": x.path, "cell_id": "c0", "cell_source": x.word})
}

func edited(_ context.Context, x *trial, now []cell) error {
	return x.told(count(now, func(c cell) bool { return c.ID == "c0" && c.Source == x.word }))
}

// editThenRead reads after an edit: the read must show an edit that was made, and must not show one that was not.
func editThenRead(ctx context.Context, x *trial) answer {
	first := edit(ctx, x)
	began := time.Now()
	shown := readThrough(ctx, x)
	first.then = time.Since(began)
	x.hear(shown)
	there := strings.Contains(shown.text, x.word)
	switch {
	case shown.kind == notMade || shown.kind == unsure && first.kind != notMade:
	case there && first.kind == notMade:
		first.kind = surprising
		first.text += "\nand yet it is shown: " + shown.text
	case !there && first.kind == made && !x.outage.forgets:
		first.kind = surprising
		first.text += "\nand yet it is not shown: " + shown.text
	}
	return first
}

func insert(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "insert_nb_cells", map[string]any{
		"path": x.path, "position": 1, "exec": false, "cells": []map[string]any{{"content": x.word}},
	})
}

func inserted(_ context.Context, x *trial, now []cell) error {
	return x.told(count(now, func(c cell) bool { return c.Source == x.word }))
}

func deleteCell(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "delete_nb_cells", map[string]any{"path": x.path, "ranges": []map[string]any{{"id": "c1"}}})
}

func deleted(_ context.Context, x *trial, now []cell) error {
	return x.told(1 - count(now, func(c cell) bool { return c.ID == "c1" }))
}

func move(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "move_cell", map[string]any{"notebook_name": x.path, "source_cell_id": "c1", "target_cell_id": "c0"})
}

func moved(_ context.Context, x *trial, now []cell) error {
	if len(now) != 2 {
		return fmt.Errorf("there are %d cells", len(now))
	}
	return x.told(count(now[:1], func(c cell) bool { return c.ID == "c1" }))
}

func count(cells []cell, is func(cell) bool) (n int) {
	for _, c := range cells {
		if is(c) {
			n++
		}
	}
	return n
}

// told compares the number of copies of an edit with its answer.
func (x *trial) told(there int) error {
	switch x.answer.kind {
	case made:
		// A confirmed edit that the server has lost must be reported.
		if there == 0 && x.outage.forgets && x.lost != "" {
			return nil
		}
		if there != 1 {
			return fmt.Errorf("it was answered as made, and is there %d times; said of lost edits: %q", there, x.lost)
		}
	case notMade:
		if there != 0 {
			return fmt.Errorf("it was answered as not made, and is there %d times", there)
		}
	default:
		if there > 1 {
			return fmt.Errorf("it is there %d times", there)
		}
	}
	return nil
}

// outcome returns the execution in an answer.
func outcome(text string) (run, state string) {
	var executed struct {
		Results []agentRun `json:"execution_results"`
		agentRun
	}
	if json.Unmarshal([]byte(text), &executed) != nil {
		return "", ""
	}
	if len(executed.Results) == 1 {
		executed.agentRun = executed.Results[0]
	}
	return executed.ID, executed.State
}

type agentRun struct {
	ID    string `json:"run_id"`
	State string `json:"state"`
}

func runLong(ctx context.Context, x *trial) answer {
	a := x.tool(ctx, "execute_nb_cells", map[string]any{"path": x.path, "ranges": []map[string]any{{"id": "c1"}}})
	x.run, _ = outcome(a.text)
	return a
}

// startLong starts a run that continues.
func startLong(ctx context.Context, x *trial) error {
	a := x.tool(ctx, "execute_nb_cells", map[string]any{"path": x.path, "ranges": []map[string]any{{"id": "c1"}}, "timeout": 0.1})
	if x.run, _ = outcome(a.text); x.run == "" {
		return errors.New(a.text)
	}
	return nil
}

func waitLong(ctx context.Context, x *trial) answer {
	return x.tool(ctx, "wait_run", map[string]any{"run_id": x.run})
}

// ran checks the run's end, and whether the cell has the reported output.
func ran(ctx context.Context, x *trial, _ []cell) error {
	if x.run == "" {
		if x.answer.kind == made {
			return errors.New("the answer names no run")
		}
		return nil
	}
	state := ""
	if err := poll.Until(ctx, "the run to end", func(ctx context.Context) error {
		a := x.tool(ctx, "get_run", map[string]any{"run_id": x.run})
		if _, state = outcome(a.text); state == "" || state == "running" || state == "queued" {
			return errors.New(a.text)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("%w; the server says of its kernel: %s", err, x.account())
	}
	if _, was := outcome(x.answer.text); was == "done" && state != was {
		return fmt.Errorf("the run was answered as %s, and is %s", was, state)
	}
	d, err := newPatient(x.t, x.server.URL, x.server.Token).Open(ctx, jupyter.MustPath(x.path))
	if err != nil {
		return err
	}
	defer d.Release()
	return poll.Until(ctx, "the cell to be as it is said to be", func(context.Context) error {
		c, ok := d.Notebook().Cell("c1")
		out := text(c.Outputs)
		switch {
		case !ok:
			return errors.New("the cell is gone")
		case c.ExecutionState == "running":
			return fmt.Errorf("the run is %s, and the cell busy", state)
		case state == "done" && !strings.Contains(out, "ran to its end") && !strings.Contains(out, "may be missing") && !(x.outage.forgets && x.lost != ""):
			return fmt.Errorf("the run is done, and the cell has %q; said of lost edits: %q", out, x.lost)
		}
		return nil
	})
}

// account returns the server's report on the notebook's kernel: it shows whether the program or the kernel hangs.
func (x *trial) account() string {
	var all []struct {
		Path   string          `json:"path"`
		Kernel json.RawMessage `json:"kernel"`
	}
	if _, err := x.get(http.MethodGet, "/api/sessions", &all); err != nil {
		return err.Error()
	}
	for _, s := range all {
		if s.Path == x.path {
			return string(s.Kernel)
		}
	}
	return "there is none"
}

// picture shows an image of one pixel.
const picture = `from IPython.display import Image, display
import base64
display(Image(data=base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))`

var address = regexp.MustCompile(`jupyter://[\w/.-]+`)

// draw runs the cell, and finds the address of its image.
func draw(ctx context.Context, x *trial) error {
	a := x.tool(ctx, "execute_nb_cells", map[string]any{"path": x.path, "ranges": []map[string]any{{"id": "c1"}}, "timeout": 60})
	if x.uri = address.FindString(a.text); x.uri == "" {
		return fmt.Errorf("no image: %s", a.text)
	}
	return nil
}

// showImage requests an earlier image, which needs no server.
func showImage(ctx context.Context, x *trial) answer {
	a, err := x.agent.Call(ctx, "get_image_resource", map[string]any{"resource_uri": x.uri})
	if err != nil {
		return classified(err.Error(), true)
	}
	got := classified(a.Text, a.IsError)
	if !a.IsError && (len(a.Images) != 1 || len(a.Images[0].Data) == 0) {
		got.kind = surprising
		got.text += "\nand there is no image"
	}
	return got
}

// findResource finds the address of the notebook's cells.
func findResource(ctx context.Context, x *trial) error {
	list, err := x.agent.Read(ctx, "notebook://list")
	if err != nil {
		return err
	}
	var all []struct {
		URI  string `json:"uri"`
		Path string `json:"path"`
	}
	if err := json.Unmarshal([]byte(list), &all); err != nil {
		return fmt.Errorf("%w: %s", err, list)
	}
	for _, nb := range all {
		if nb.Path == x.path {
			x.uri = nb.URI
		}
	}
	if x.uri == "" {
		return fmt.Errorf("it is not in %s", list)
	}
	return nil
}

func readResource(ctx context.Context, x *trial) answer {
	content, err := x.agent.Read(ctx, x.uri+"/cells")
	if err != nil {
		return classified(err.Error(), true)
	}
	return classified(content, false)
}

func subscribe(ctx context.Context, x *trial) answer {
	if err := x.agent.Subscribe(ctx, x.uri); err != nil {
		return classified(err.Error(), true)
	}
	return answer{kind: made, text: "subscribed"}
}

// notified checks that a subscriber is notified of another client's edit.
func notified(ctx context.Context, x *trial, _ []cell) error {
	if x.answer.kind != made {
		return nil
	}
	had := x.agent.Updates(x.uri)
	other := newPatient(x.t, x.server.URL, x.server.Token).open(x.path)
	l := &ledger{}
	if l.insert(ctx, other, 0, probes); len(l.made) != 1 {
		return fmt.Errorf("somebody else's edit: %v", l)
	}
	return poll.Until(ctx, "word of somebody else's edit", func(context.Context) error {
		if n := x.agent.Updates(x.uri); n <= had {
			return fmt.Errorf("%s was reported %d times, %d before", x.uri, n, had)
		}
		return nil
	})
}

// confirmedEdit makes an edit that may not be on disk yet.
func confirmedEdit(ctx context.Context, x *trial) error {
	if a := edit(ctx, x); a.kind != made {
		return errors.New(a.text)
	}
	return nil
}

func endSession(ctx context.Context, x *trial) answer {
	a := x.tool(ctx, "end_nb_session", map[string]any{"path": x.path})
	if a.kind == made && (strings.Contains(a.text, `"saved":false`) || strings.Contains(a.text, "edits of it may be lost")) {
		a.kind = unsure
	}
	return a
}

// ended checks that the edit is in the file if the end was reported as successful.
func ended(ctx context.Context, x *trial, now []cell) error {
	there := count(now, func(c cell) bool { return c.Source == x.word })
	if x.answer.kind != made || !strings.Contains(x.answer.text, "ended successfully") {
		said := x.answer.kind == unsure || x.lost != "" // the answer itself reports that the file is incomplete
		if there == 0 && !said {
			return errors.New("the edit is gone, and nobody says so")
		}
		return nil
	}
	return poll.Until(ctx, "the edit in the file", func(context.Context) error {
		return fileHolds(filepath.Join(x.server.Root, x.path), []string{x.word})
	})
}
