package events

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

// That a file was read is no change; everything else may be one, also what is not understood.
func TestChanges(t *testing.T) {
	const files, rooms = `{"schema_id": "https://events.jupyter.org/jupyter_server/contents_service/v1", `, `{"schema_id": "https://schema.jupyter.org/jupyter_collaboration/session/v1", `
	for event, want := range map[string]bool{
		files + `"action": "get", "path": "a"}`:                          false,
		files + `"action": "save", "path": "a"}`:                         true,
		files + `"action": "rename", "path": "a", "source_path": "b"}`:   true,
		files + `"action": 5}`:                                           true,
		rooms + `"action": "get"}`:                                       true,
		rooms + `"action": "initialize", "msg": "New client connected"}`: true,
		`{`: true,
		``:  true,
	} {
		if got := changes([]byte(event)); got != want {
			t.Errorf("%s is a change: %t", event, got)
		}
	}
}

// A subscription ends with its context, without an error, and else says that it was lost, or why there is none.
func TestFollow(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Start(t)
		srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.CloseIdleConnections()
		ctx, stop := context.WithCancel(t.Context())
		before, _ := srv.Changes.Count()
		if err := Follow(ctx, srv, func() {
			if now, quiet := srv.Changes.Count(); now == before || !quiet {
				t.Error("what was asked before the subscription would count as heard of")
			}
			stop()
		}); err != nil {
			t.Error(err)
		}
		if err := Follow(ctx, srv, func() { t.Error("begun after the end") }); err != nil {
			t.Error(err)
		}
		if err := Follow(t.Context(), srv, s.Fake.Close); !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		err = Follow(t.Context(), srv, func() {})
		must.Error(t, err)
		test.False(t, errors.Is(err, ErrLost))
	})
}
