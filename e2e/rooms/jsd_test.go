package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// With jupyter-server-documents instead of jupyter-collaboration, everything works as elsewhere, or the answer says why
// not.
func TestServerDocuments(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs(filepath.Join("..", "..", "session", "document", "filesync", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	s := jupytertest.Start(t, jupytertest.WithDocuments(), jupytertest.WithEnv("PYTHONPATH="+folder),
		jupytertest.WithFlags("--ServerApp.contents_manager_class=readonly_contents.ReadOnlyContents"))
	for name, test := range map[string]func(*testing.T, *jupytertest.Server){
		"several agents edit one notebook":        documentsEdits,
		"a text":                                  documentsText,
		"people and carets":                       documentsPeople,
		"left and opened again":                   documentsAgain,
		"the connection is cut":                   documentsCut,
		"renamed, then deleted":                   documentsMoved,
		"read-only":                               documentsReadOnly,
		"cells are run":                           documentsRun,
		"the kernel is interrupted and restarted": documentsKernel,
		"sessions of a kernel":                    documentsAnalysis,
		"the server is killed":                    documentsKilled,
		"kernels are on another server":           documentsApart,
		"files that cannot be opened":             documentsRefused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func documentsEdits(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "x = 1", "y = 'é😀日'")
	docs := []*session.Document{newPatient(t, s.URL, s.Token).open(path), newPatient(t, s.URL, s.Token).open(path)}
	c, ok := docs[1].Notebook().Cell("c1")
	must.True(t, ok)
	must.Eq(t, "y = 'é😀日'", c.Source)
	l := &ledger{made: []string{"x = 1", "y = 'é😀日'"}}
	done := make(chan struct{})
	for i, d := range docs {
		go func() {
			defer func() { done <- struct{}{} }()
			for n := range 15 {
				l.insert(t.Context(), d, n, fmt.Sprintf("😀 %d of %d", n, i))
			}
		}()
	}
	<-done
	<-done
	if len(l.made) != 32 {
		t.Errorf("%v %v", l, l.surprise)
	}
	settles(t, s, path, l, docs...)
	eventuallySaved(t, docs[0])
}

// eventuallySaved waits until the file is known to be up to date.
func eventuallySaved(t *testing.T, d *session.Document) {
	t.Helper()
	if err := poll.Until(t.Context(), "the file to follow", func(context.Context) error {
		if why := d.Unsaved(); why != "" {
			return errors.New(why)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// leaves ends a session. Without a warning, the file must be complete; if the server took too long to save, the answer
// says so, and the file is complete later.
func leaves(t *testing.T, m *agent, path string, saved func() error) {
	t.Helper()
	_, ok, err := m.End(t.Context(), jupyter.MustPath(path))
	switch {
	case !ok:
		t.Errorf("%s was not open", path)
	case err == nil:
		if err := saved(); err != nil {
			t.Errorf("said to be saved: %v", err)
		}
	case !strings.Contains(err.Error(), "it is not known whether the file"):
		t.Errorf("end: %v", err)
	default:
		t.Log(err)
		if err := poll.Until(t.Context(), "the server to save by itself", func(context.Context) error { return saved() }); err != nil {
			t.Error(err)
		}
	}
}

func documentsText(t *testing.T, s *jupytertest.Server) {
	path := s.Write(t, s.Name(t, ".py"), "a\r\nb\r\n")
	m := newPatient(t, s.URL, s.Token)
	d, err := m.OpenText(t.Context(), jupyter.MustPath(path))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	if err := d.EditText(t.Context(), "edit", func(e *ydoc.TextEditor) error { return e.Replace(2, 0, "é\n") }); err != nil {
		t.Fatal(err)
	}
	leaves(t, m, path, func() error {
		if got := s.Read(t, path); got != "a\né\nb\n" {
			return fmt.Errorf("the file is %q", got)
		}
		return nil
	})
}

func documentsPeople(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "abc")
	m := newPatient(t, s.URL, s.Token)
	first := m.open(path)
	if err := first.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c0", "abcd") }); err != nil {
		t.Fatal(err)
	}
	first.Point(sessiontest.AsClient(t.Context()), "c0", 4)
	second := newPatient(t, s.URL, s.Token).open(path)
	sees := func(n int) {
		t.Helper()
		if err := poll.Until(t.Context(), "the other's caret", func(context.Context) error {
			p := second.People()
			if len(p) != n || n == 1 && (p[0].CellID != "c0" || p[0].Offset != 4 || !p[0].Agent) {
				return fmt.Errorf("%+v", p)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	sees(1)
	if _, _, err := m.End(t.Context(), jupyter.MustPath(path)); err != nil {
		t.Error(err)
	}
	sees(0)
}

// The content of a left notebook is on disk, and is unchanged when it is opened again.
func documentsAgain(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "x = 1")
	m := newPatient(t, s.URL, s.Token)
	l := &ledger{made: []string{"x = 1"}}
	for n := range 4 {
		d, err := m.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		l.insert(t.Context(), d, n, fmt.Sprint("edit ", n))
		d.Release()
		leaves(t, m, path, func() error { return fileHolds(filepath.Join(s.Root, path), l.made) })
	}
	settles(t, s, path, l)
}

// A cut connection brings a fresh replica, because nothing shows whether the room has the same history. Calls under way
// are answered as not known.
func documentsCut(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "x = 1")
	l := newLine(t, s)
	docs := []*session.Document{newAgent(t, l.url(), s.Token).open(path), newPatient(t, s.URL, s.Token).open(path)}
	led := &ledger{made: []string{"x = 1"}}
	old := docs[0].Notebook().ClientID()
	for round := range 2 {
		for n := range 3 {
			led.insert(t.Context(), docs[0], n, fmt.Sprintf("%d before %d", n, round))
		}
		// This edit reaches the server, but its answer is lost.
		mend := l.fail([]fault{{"deaf", "timeout", "downstream", 1, map[string]any{"timeout": 0}}})
		ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
		err := docs[0].Edit(ctx, "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: fmt.Sprint("during ", round)})
			return err
		})
		stop()
		var lost *session.LostError
		must.True(t, errors.As(err, &lost), must.Sprint("the edit whose answer was cut off"))
		test.StrContains(t, err.Error(), "not known whether it was made", test.Sprint("the edit whose answer was cut off"))
		led.unsure = append(led.unsure, fmt.Sprint("during ", round))
		mend()
		led.insert(t.Context(), docs[1], 0, fmt.Sprint("meanwhile ", round))
		if err := poll.Until(t.Context(), "the room to be joined afresh", func(context.Context) error {
			if id := docs[0].Notebook().ClientID(); id == old {
				return errors.New("the replica is still the old one")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		old = docs[0].Notebook().ClientID()
	}
	settles(t, s, path, led, docs...)
	_, sources := cells(docs[0].Notebook())
	for round := range 2 {
		t.Logf("%q is there: %v", fmt.Sprint("during ", round), slices.Contains(sources, fmt.Sprint("during ", round)))
	}
}

func documentsMoved(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "x = 1")
	m := newPatient(t, s.URL, s.Token)
	d := m.open(path)
	to := s.Name(t, ".ipynb")
	if _, err := m.Manager.Servers().Documents.Contents.Rename(t.Context(), jupyter.MustPath(path), jupyter.MustPath(to)); err != nil {
		t.Fatal(err)
	}
	l := &ledger{made: []string{"x = 1"}}
	l.insert(t.Context(), d, 0, "after the rename")
	if err := poll.Until(t.Context(), "the new path", func(context.Context) error {
		if d.Path().String() != to {
			return fmt.Errorf("it has %q", d.Path())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	settles(t, s, to, l, d)
	eventuallySaved(t, d)
	if err := m.Manager.Servers().Documents.Contents.Delete(t.Context(), jupyter.MustPath(to)); err != nil {
		t.Fatal(err)
	}
	if err := poll.Until(t.Context(), "an edit to be refused", func(ctx context.Context) error {
		e, err := m.Open(ctx, jupyter.MustPath(to))
		if err == nil {
			e.Release()
			return errors.New("it is open still")
		}
		if !errors.Is(err, jupyter.ErrNotFound) {
			return err
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func documentsReadOnly(t *testing.T, s *jupytertest.Server) {
	path := s.Write(t, "readonly.ipynb", s.Read(t, s.Notebook(t, "x = 1")))
	m := newPatient(t, s.URL, s.Token)
	(&ledger{}).insert(t.Context(), m.open(path), 0, "nowhere")
	_, _, err := m.End(t.Context(), jupyter.MustPath(path))
	var unsaved *filesync.UnsavedError
	must.True(t, errors.As(err, &unsaved), must.Sprint("end"))
	test.StrContains(t, err.Error(), "read-only", test.Sprint("end"))
}

// printed returns the text of all streams and results of a cell.
func printed(outs []ydoc.Output) string {
	var b strings.Builder
	for _, o := range outs {
		if text, ok := o["text"].(string); ok {
			b.WriteString(text)
		}
		if data, ok := o["data"].(map[string]any); ok {
			fmt.Fprintf(&b, "[%v]", data["text/plain"])
		}
		if name, ok := o["ename"].(string); ok {
			b.WriteString("!" + name)
		}
	}
	return b.String()
}

func runCells(t *testing.T, d *session.Document, ids ...string) []run.Result {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
	defer stop()
	runs, err := d.Run(ctx, ids)
	if err != nil {
		t.Fatal(err)
	}
	var all []run.Result
	for _, r := range runs {
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Result())
	}
	return all
}

func documentsRun(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "x = 6\nprint('é😀')\nx * 7", "1/0", "x", "input('who? ')", "import time\nprint('a', flush=True)\ntime.sleep(.3)\nprint('b')")
	d, other := newPatient(t, s.URL, s.Token).open(path), newPatient(t, s.URL, s.Token).open(path)
	for i, want := range []struct {
		state   run.State
		printed string
		note    string
	}{
		{run.Done, "é😀\n[42]", ""},
		{run.Failed, "!ZeroDivisionError", ""},
		{run.Done, "[6]", ""},
		{run.Failed, "!StdinNotImplementedError", "input() does not work"},
		{run.Done, "a\nb\n", ""},
	} {
		id := fmt.Sprint("c", i)
		// A run includes another client's preceding edit.
		if i == 2 {
			if err := other.Edit(t.Context(), "edit", func(e *ydoc.Editor) error { return e.SetSource("c2", "x ") }); err != nil {
				t.Fatal(err)
			}
		}
		r := runCells(t, d, id)[0]
		test.Eq(t, want.state, r.State, test.Sprint(id))
		must.NoError(t, r.Err, must.Sprint(id))
		must.NotNil(t, r.Count, must.Sprint(id))
		test.Eq(t, i+1, *r.Count, test.Sprint(id))
		test.Eq(t, want.printed, printed(r.Outputs), test.Sprint(id))
		test.StrContains(t, r.Note, want.note, test.Sprint(id))
	}
	// A failed cell cancels the cells after it.
	r := runCells(t, d, "c1", "c2")
	test.Eq(t, run.Failed, r[0].State, test.Sprint("behind a failing cell"))
	test.Eq(t, run.Cancelled, r[1].State, test.Sprint("behind a failing cell"))
	settles(t, s, path, &ledger{}, d, other)
	want := "a\nb\n"
	if err := poll.Until(t.Context(), "the outputs at the other agent's and on disk", func(context.Context) error {
		c, _ := other.Notebook().Cell("c4")
		if got := printed(c.Outputs); got != want || c.ExecutionState == "running" {
			return fmt.Errorf("the other has %q, %s", got, c.ExecutionState)
		}
		if !strings.Contains(s.Read(t, path), "ZeroDivisionError") {
			return errors.New("the file has no outputs")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	eventuallySaved(t, d)
}

func documentsKernel(t *testing.T, s *jupytertest.Server) {
	path := s.Notebook(t, "import time\nprint('on', flush=True)\ntime.sleep(300)", "1+1")
	m := newPatient(t, s.URL, s.Token)
	d := m.open(path)
	begin := func() *run.Run {
		t.Helper()
		runs, err := d.Run(t.Context(), []string{"c0"})
		if err != nil {
			t.Fatal(err)
		}
		if err := poll.Until(t.Context(), "the cell to run", func(context.Context) error {
			if printed(runs[0].Result().Outputs) != "on\n" {
				return fmt.Errorf("%+v", runs[0].Result())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return runs[0]
	}
	end := func(r *run.Run) run.Result {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
		defer stop()
		if err := r.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if c, _ := d.Notebook().Cell("c0"); c.ExecutionState == "running" {
			t.Error("the cell shows as running still")
		}
		return r.Result()
	}
	r := begin()
	if err := r.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := end(r); res.State != run.Interrupted {
		t.Errorf("interrupted: %+v", res)
	}
	r = begin()
	if _, err := d.Kernel().Restart(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	// The server interrupts a kernel before it ends it, and may receive its last message.
	if res := end(r); res.State != run.Interrupted && (res.State != run.Lost || res.Err == nil) {
		t.Errorf("restarted: %+v", res)
	}
	res := runCells(t, d, "c1")[0]
	test.Eq(t, run.Done, res.State, test.Sprint("after the restart"))
	test.Eq(t, "[2]", printed(res.Outputs), test.Sprint("after the restart"))
	test.Eq(t, 1, *res.Count, test.Sprint("after the restart"))
	test.StrContains(t, res.Note, "restarted", test.Sprint("after the restart"))
}

// A killed server leaves only saved content; its successor makes new rooms, whose notebooks have every cell once.
func documentsKilled(t *testing.T, second *jupytertest.Server) {
	first := jupytertest.Start(t, jupytertest.WithDocuments(), jupytertest.WithRoot(second.Root), jupytertest.WithToken(second.Token))
	path := first.Notebook(t, "x = 1", "y = 2")
	l := newLine(t, first)
	docs := []*session.Document{newAgent(t, l.url(), first.Token).open(path), newAgent(t, l.url(), first.Token).open(path)}
	led := &ledger{made: []string{"x = 1", "y = 2"}}
	for n := range 5 {
		led.insert(t.Context(), docs[n%2], n, fmt.Sprint("before ", n))
	}
	file := filepath.Join(first.Root, path)
	if err := poll.Until(t.Context(), "the edits to be on disk", func(context.Context) error { return fileHolds(file, led.made) }); err != nil {
		t.Fatal(err)
	}
	old := []uint64{docs[0].Notebook().ClientID(), docs[1].Notebook().ClientID()}
	crash(t, first, file)
	l.lead(second)
	for i, d := range docs {
		if err := poll.Until(t.Context(), "the room to be joined afresh", func(context.Context) error {
			if d.Notebook().ClientID() == old[i] {
				return errors.New("the replica is still the old one")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 4 {
		led.insert(t.Context(), docs[n%2], n, fmt.Sprint("after ", n))
	}
	settles(t, second, path, led, docs...)
}

// A second connection to a notebook's kernel would replace a tab's and is refused: code can run only in cells there. A
// session without a notebook has its own kernel.
func documentsAnalysis(t *testing.T, s *jupytertest.Server) {
	m := newPatient(t, s.URL, s.Token)
	analyses := analysis.New(m.Manager)
	for _, path := range []string{s.Notebook(t, "x = 1"), ""} {
		a, err := analyses.Create(t.Context(), "me", analysis.Options{NotebookPath: jupyter.MustPath(path)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Evaluate(t.Context(), "x = 2", map[string]string{"x": "x"})
		refused := err != nil && strings.Contains(err.Error(), "does not work with jupyter-server-documents")
		test.Eq(t, path != "", refused)
		test.False(t, err != nil && !refused)
		if path != "" {
			if r := runCells(t, m.open(path), "c0")[0]; r.State != run.Done {
				t.Errorf("run: %+v", r)
			}
		}
		if err := analyses.Delete(t.Context(), "me", a.ID()); err != nil {
			t.Error(err)
		}
	}
}
