package readset

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// fakeDocument is an open document whose room confirms everything at once.
type fakeDocument struct {
	nb   *ydoc.Notebook
	text *ydoc.Text
}

func (d *fakeDocument) Path() jupyter.Path                 { return jupyter.MustPath("a.ipynb") }
func (d *fakeDocument) FileID() string                     { return "file" }
func (d *fakeDocument) Notebook() *ydoc.Notebook           { return d.nb }
func (d *fakeDocument) Text() *ydoc.Text                   { return d.text }
func (d *fakeDocument) Point(context.Context, string, int) {}

func (d *fakeDocument) Edit(_ context.Context, name string, fn func(*ydoc.Editor) error) error {
	return d.nb.Edit(name, fn)
}

func (d *fakeDocument) WriteText(_ context.Context, name string, fn func(*ydoc.TextEditor) error, made func(*ydoc.Text)) error {
	err := d.text.Edit(name, fn)
	if err == nil && made != nil {
		made(d.text)
	}
	return err
}

// rewriter is an open notebook of one cell, in which another client types, too.
type rewriter struct {
	*fakeDocument
	memory *Memory
	t      *testing.T
	id     string
}

func newRewriter(t *testing.T, source string) *rewriter {
	t.Helper()
	r := &rewriter{&fakeDocument{nb: ydoc.NewNotebook()}, NewMemory(), t, "c0"}
	if err := r.nb.Edit("insert", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: r.id, Type: ydoc.Code, Source: source})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return r
}

// as returns a client's reader of the notebook.
func (r *rewriter) as(client string) Reader { return Of(r, r.memory, client) }

func (r *rewriter) cell() ydoc.Cell {
	c, _ := r.nb.Cell(r.id)
	return c
}

// others replaces the cell's source as another client.
func (r *rewriter) others(source string) {
	r.t.Helper()
	if err := r.nb.Edit("type", func(e *ydoc.Editor) error { return e.SetSource(r.id, source) }); err != nil {
		r.t.Fatal(err)
	}
}
