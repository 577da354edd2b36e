package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// fakeNotebook is a notebook without a room or a kernel: it applies every edit at once.
type fakeNotebook struct {
	nb   *ydoc.Notebook
	held int
	calm chan struct{} // closed while output may be written
}

func newFakeNotebook() *fakeNotebook {
	f := &fakeNotebook{nb: ydoc.NewNotebook(), calm: make(chan struct{})}
	close(f.calm)
	return f
}

func (f *fakeNotebook) Path() jupyter.Path       { return jupyter.MustPath("a.ipynb") }
func (f *fakeNotebook) Notebook() *ydoc.Notebook { return f.nb }
func (f *fakeNotebook) Edit(_ context.Context, name string, fn func(*ydoc.Editor) error) error {
	return f.nb.Edit(name, fn)
}
func (f *fakeNotebook) Calm() <-chan struct{}         { return f.calm }
func (f *fakeNotebook) Settled(context.Context) error { return nil }
func (f *fakeNotebook) Joined() Joined                { return Joined{Notebook: f.nb} }
func (f *fakeNotebook) Hold(n int)                    { f.held += n }
func (f *fakeNotebook) FileID() string                { return "file" }
func (f *fakeNotebook) Others() []uint64              { return nil }

func (f *fakeNotebook) KernelState(context.Context) (id, state string, err error) { return "", "", nil }

func (*fakeNotebook) Served(string, string) func() { return func() {} }

func (f *fakeNotebook) Way() Way                        { return Way{Refusal: errors.New("there is no kernel")} }
func (f *fakeNotebook) Link() *kernel.Link              { return nil }
func (f *fakeNotebook) Interrupt(context.Context) error { return nil }
func (f *fakeNotebook) Session(context.Context) (jupyter.Session, error) {
	return jupyter.Session{}, nil
}
func (f *fakeNotebook) Reattach(context.Context, jupyter.Session) {}
func (f *fakeNotebook) Servers() *kernel.Servers                  { return nil }

// The remaining output is written without a pause at the end of a run, in one edit with that end.
func TestLastOutputEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, edits := newFakeNotebook(), 0
		d.nb.OnUpdate(func([]byte) { edits++ })
		cells := NewCells(t.Context(), d, NewTable(TableConfig{}), errors.New("it is over"))
		r, err := cells.RunNew(t.Context(), "print(1); 2", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.end(Done, nil)
		out := cells.newWriter(r, nil)
		r.begin(out)
		out.Handle(kernel.Input{Count: 7})
		out.Handle(kernel.Stream{Name: "stdout", Text: "1\n"})
		synctest.Wait() // it is written, and the next write would have to wait
		out.Handle(kernel.Result{Count: 7, Data: map[string]any{"text/plain": "2"}})
		start := time.Now()
		out.Finish()
		c, _ := d.Notebook().Cell(r.CellID)
		waited := time.Since(start)
		test.Eq(t, 0, waited)
		test.True(t, out.Marked())
		test.Eq(t, 3, edits)
		must.SliceLen(t, 2, c.Outputs)
		test.Eq(t, ydoc.Idle, c.ExecutionState)
		must.NotNil(t, c.ExecutionCount)
		test.Eq(t, 7, *c.ExecutionCount)
	})
}

// A cell that cannot be run cancels those behind it in the group; none of them stays busy, and the notebook is released.
func TestRefusedRunEndsItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeNotebook()
		if err := d.nb.Edit("cells", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "a", Type: ydoc.Code, Source: "1"}, ydoc.NewCell{ID: "b", Type: ydoc.Code, Source: "2"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		cells := NewCells(ctx, d, NewTable(TableConfig{}), errors.New("it is over"))
		cells.Start()
		runs, err := cells.Run(t.Context(), []string{"a", "b"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		a, b := runs[0].Result(), runs[1].Result()
		test.Eq(t, Cancelled, a.State)
		test.Eq(t, Cancelled, b.State)
		for _, c := range d.nb.Cells() {
			if c.ExecutionState != ydoc.Idle {
				t.Errorf("left is %+v", c)
			}
		}
		stop()
		cells.Close()
		if d.held != 0 {
			t.Errorf("the notebook is held %d times", d.held)
		}
		late, err := cells.RunNew(t.Context(), "3", Options{})
		must.Error(t, err, must.Sprint("run after the end"))
		test.Nil(t, late, test.Sprint("run after the end"))
	})
}

// An ended run is not ahead of another one, though the queue turns a moment later.
func TestNotBehindWhatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeNotebook()
		if err := d.nb.Edit("cells", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{ID: "a", Type: ydoc.Code, Source: "1"}, ydoc.NewCell{ID: "b", Type: ydoc.Code, Source: "2"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		var first, second *Run
		told := 0
		ctx, stop := context.WithCancel(t.Context())
		cells := NewCells(ctx, d, NewTable(TableConfig{Tell: func(r *Run) {
			if r != first || !r.Status().State.Ended() {
				return
			}
			told++
			ahead, changed := second.Ahead()
			must.Nil(t, ahead)
			test.NotNil(t, changed)
		}}), errors.New("it is over"))
		start := func(id string) *Run {
			t.Helper()
			runs, err := cells.Run(t.Context(), []string{id}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return runs[0]
		}
		first, second = start("a"), start("b")
		cells.Start()
		synctest.Wait()
		stop()
		cells.Close()
		if told != 1 {
			t.Errorf("told %d times of the first", told)
		}
	})
}

// Output waits while the notebook is not calm, and then comes in one edit; the last output does not wait.
func TestOutputWaitsForTheNotebook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, edits := newFakeNotebook(), 0
		cells := NewCells(t.Context(), d, NewTable(TableConfig{}), errors.New("it is over"))
		r, err := cells.RunNew(t.Context(), "print(1)", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.end(Done, nil)
		d.nb.OnUpdate(func([]byte) { edits++ })
		out := cells.newWriter(r, nil)
		r.begin(out)
		d.calm = make(chan struct{})
		for range 5 {
			out.Handle(kernel.Stream{Name: "stdout", Text: "1\n"})
			synctest.Wait()
		}
		if edits != 0 {
			t.Errorf("%d edits while output is held", edits)
		}
		close(d.calm)
		synctest.Wait()
		if edits != 1 {
			t.Errorf("%d edits afterwards, want one", edits)
		}
		d.calm = make(chan struct{})
		out.Handle(kernel.Stream{Name: "stdout", Text: "2\n"})
		out.Finish()
		if edits != 2 {
			t.Errorf("%d edits when the run has ended, want one more", edits)
		}
	})
}
