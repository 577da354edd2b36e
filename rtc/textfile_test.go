package rtc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

func joinText(t *testing.T, srv *jupyter.Server, path string) (*rtc.Room, *ydoc.Text) {
	t.Helper()
	text := ydoc.NewText()
	r, err := rtc.Join(t.Context(), rtc.Config{
		Server: srv, Path: jupyter.MustPath(path), Format: "text", Type: "file", Replica: text.Doc, User: user("agent"),
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Leave(context.Background()) }) // in case the test has not
	return r, text
}

// The document of a text file with CRLF line ends has LF, and so has the file after an edit.
func TestTextFileWithCRLF(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, ".txt"), "one\r\ntwo\r\n")
		r, text := joinText(t, client(t, s), path)
		if got := text.String(); got != "one\ntwo\n" {
			t.Errorf("the document holds %q", got)
		}
		if err := text.Edit("append", func(e *ydoc.TextEditor) error { return e.Replace(e.Len(), 0, "three\n") }); err != nil {
			t.Fatal(err)
		}
		if err := r.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Read(t, path); got != "one\ntwo\nthree\n" {
			t.Errorf("the file holds %q", got)
		}
	})
}

// A change of a text file by another program appears in the document, and our later edit does not revert it.
func TestTextFileRewritten(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		path := s.Write(t, s.Name(t, ".txt"), "one\ntwo\nthree\n")
		r, text := joinText(t, client(t, s), path)
		if err := os.WriteFile(filepath.Join(s.Root, path), []byte("one\n2\nthree\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the document has the change", func() bool { return text.String() == "one\n2\nthree\n" })
		if err := text.Edit("append", func(e *ydoc.TextEditor) error { return e.Replace(e.Len(), 0, "four\n") }); err != nil {
			t.Fatal(err)
		}
		if err := r.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.Read(t, path); !strings.Contains(got, "one\n2\nthree\nfour\n") {
			t.Errorf("the file holds %q", got)
		}
	})
}
