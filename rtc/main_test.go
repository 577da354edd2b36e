package rtc_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// patience is how long a test waits for an expected event.
const patience = time.Minute

// client returns a REST client of a test server.
func client(t *testing.T, s *jupytertest.Server) *jupyter.Server {
	t.Helper()
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.CloseIdleConnections)
	return srv
}

func user(name string) awareness.User {
	return awareness.User{Username: "test-" + name, Name: name, DisplayName: name, Initials: name[:1], Color: "#888"}
}

// join joins the room of a notebook; the test leaves it at its end.
func join(t *testing.T, srv *jupyter.Server, path string, change ...func(*rtc.Config)) (*rtc.Room, *ydoc.Notebook) {
	t.Helper()
	r, nb, err := tryJoin(t, srv, path, change...)
	if err != nil {
		t.Fatal(err)
	}
	return r, nb
}

func tryJoin(t *testing.T, srv *jupyter.Server, path string, change ...func(*rtc.Config)) (*rtc.Room, *ydoc.Notebook, error) {
	t.Helper()
	nb := ydoc.NewNotebook()
	cfg := rtc.Config{
		Server: srv, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: nb.Doc, User: user("agent"),
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	}
	for _, f := range change {
		f(&cfg)
	}
	r, err := rtc.Join(t.Context(), cfg)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_ = r.Leave(ctx) // the test has already checked everything
	})
	return r, nb, nil
}

// eventually waits until ok returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("did not happen within %v: %s", patience, what)
}

func insert(t *testing.T, nb *ydoc.Notebook, at int, source string) string {
	t.Helper()
	var id string
	if err := nb.Edit("insert", func(e *ydoc.Editor) error {
		ids, err := e.Insert(at, ydoc.NewCell{Type: "code", Source: source})
		if err == nil {
			id = ids[0]
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return id
}

func sources(nb *ydoc.Notebook) string {
	var s []string
	for _, c := range nb.Cells() {
		s = append(s, c.Source)
	}
	return strings.Join(s, "|")
}
