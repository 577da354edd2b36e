package rtc_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

func benchClient(b *testing.B, s *jupytertest.Server) *jupyter.Server {
	b.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(srv.CloseIdleConnections)
	return srv
}

func benchJoin(b *testing.B, srv *jupyter.Server, path string) (*rtc.Room, *ydoc.Notebook) {
	b.Helper()
	nb := ydoc.NewNotebook()
	r, err := rtc.Join(b.Context(), rtc.Config{
		Server: srv, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: nb.Doc, User: user("agent"),
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		b.Fatal(err)
	}
	return r, nb
}

// BenchmarkBarrier measures the cost of an answer that waits for the room: a bare round trip of the connection (a
// barrier without an edit), and an edit followed by a barrier.
func BenchmarkBarrier(b *testing.B) {
	s := jupytertest.Shared(b)
	r, nb := benchJoin(b, benchClient(b, s), s.Notebook(b, "x = 1"))
	defer func() { _ = r.Leave(b.Context()) }()
	for name, edit := range map[string]bool{"bare": false, "edit": true} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if edit {
					if err := nb.Edit("edit", func(e *ydoc.Editor) error { return e.SetSource("c0", fmt.Sprint(i)) }); err != nil {
						b.Fatal(err)
					}
				}
				if err := r.Barrier(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen measures opening a notebook that the server has in memory, compared with reading its file over REST.
func BenchmarkOpen(b *testing.B) {
	s := jupytertest.Shared(b)
	srv := benchClient(b, s)
	for _, n := range []int{10, 100, 1000} {
		path := s.Notebook(b, make([]string, n)...)
		warm, _ := benchJoin(b, srv, path)
		b.Run(fmt.Sprintf("join/%d", n), func(b *testing.B) {
			for b.Loop() {
				r, nb := benchJoin(b, srv, path)
				if nb.Len() != n {
					b.Fatalf("%d cells", nb.Len())
				}
				b.StopTimer()
				if err := r.Leave(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprintf("rest/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := srv.Contents.Get(b.Context(), jupyter.MustPath(path), jupyter.ContentsOptions{Content: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := warm.Leave(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
