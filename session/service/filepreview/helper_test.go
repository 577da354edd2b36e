package filepreview

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
)

// helped returns the helper of a manager on the real server, whose idle kernel is shut down after idle.
func helped(t *testing.T, idle time.Duration) *Helper {
	t.Helper()
	s := jupytertest.Shared(t)
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token, HTTPClient: s.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	m := session.New(session.Config{Server: srv, IdleTimeout: idle, Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))})
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		srv.CloseIdleConnections()
	})
	return New(m)
}

var errNotSound = errors.New("the kernel is at fault")

func isSound(err error) bool {
	return !errors.Is(err, errNotSound) && !errors.Is(err, context.DeadlineExceeded)
}

// helperID uses the helper kernel and returns its id.
func helperID(t *testing.T, h *Helper, fail error) (id string) {
	t.Helper()
	err := h.use(t.Context(), "", isSound, func(_ context.Context, k *process) error {
		id = k.id
		return fail
	})
	must.ErrorIs(t, err, fail)
	must.NotEq(t, "", id)
	return id
}

func there(t *testing.T, h *Helper, id string) bool {
	t.Helper()
	_, err := h.servers.Documents.Kernels.Get(context.Background(), id)
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// gone waits until the server no longer has the kernel.
func gone(t *testing.T, h *Helper, id string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); there(t, h, id); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the helper kernel %s is still there", id)
		}
	}
}

// The helper kernel is started once, serves one user at a time, and ends with the manager.
func TestHelperKernelServesAll(t *testing.T) {
	h := helped(t, 0)
	if h.KernelID() != "" {
		t.Error("it is started before it is used")
	}
	var at, most int // guarded by the helper's turn, as -race sees
	ids := make(chan string, 5)
	for range cap(ids) {
		go func() {
			err := h.use(t.Context(), "", isSound, func(_ context.Context, k *process) error {
				at++
				most = max(most, at)
				ids <- k.id
				at--
				return nil
			})
			if err != nil {
				t.Error(err)
				ids <- ""
			}
		}()
	}
	id := <-ids
	for range cap(ids) - 1 {
		if other := <-ids; other != id {
			t.Errorf("kernels %s and %s", id, other)
		}
	}
	refused := errors.New("an answer as well")
	got := helperID(t, h, refused)
	test.Eq(t, id, got)
	test.Eq(t, 1, most)
	test.Eq(t, id, h.KernelID())
	sessions, err := h.servers.Documents.Sessions.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		if s.Kernel.ID == id {
			t.Errorf("it has the session %+v", s)
		}
	}
	// A use in progress when the manager closes gets an error, and new uses are refused.
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- h.use(context.Background(), "", isSound, func(ctx context.Context, k *process) error {
			close(begun)
			_, err := k.Evaluate(ctx, "import time; time.sleep(600)", nil)
			return err
		})
	}()
	<-begun
	closed := make(chan error)
	go func() { closed <- h.m.Close(context.Background()) }()
	if err := <-ended; !errors.Is(err, session.ErrClosed) {
		t.Errorf("in use: %v", err)
	}
	err = <-closed
	must.NoError(t, err, must.Sprint("after Close"))
	test.False(t, there(t, h, id), test.Sprint("after Close"))
	if err := h.use(t.Context(), "", isSound, nil); !errors.Is(err, session.ErrClosed) {
		t.Errorf("used after Close: %v", err)
	}
}

// It is shut down when it has not been used for a while, and not before.
func TestHelperKernelIsPutAway(t *testing.T) {
	const idle = 200 * time.Millisecond
	h := helped(t, idle)
	var id string
	err := h.use(t.Context(), "", isSound, func(_ context.Context, k *process) error {
		id = k.id
		time.Sleep(5 * idle)
		test.True(t, there(t, h, id), test.Sprint("it is put away while it is in use"))
		test.Eq(t, id, h.KernelID(), test.Sprint("it is put away while it is in use"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	gone(t, h, id)
	if again := helperID(t, h, nil); again == id {
		t.Errorf("the kernel %s, which is gone, is used again", id)
	}
}

// A kernel that fails its user, hangs in code that ignores interrupts, or dies, is replaced.
func TestHelperKernelIsReplaced(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel that cannot be interrupted")
	h := helped(t, 0)
	first := helperID(t, h, errNotSound)
	gone(t, h, first)

	var second string
	err := h.use(t.Context(), "", isSound, func(ctx context.Context, k *process) error {
		second = k.id
		ctx, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		_, err := k.Evaluate(ctx, "import signal, re; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); re.match('(a+)+$', 'a' * 60 + 'b')", nil)
		return err
	})
	must.ErrorIs(t, err, context.DeadlineExceeded)
	must.NotEq(t, first, second)
	third := helperID(t, h, nil)
	gone(t, h, second)
	test.NotEq(t, second, third)
	test.True(t, there(t, h, third))
	// Its process dies, and the server starts another.
	err = h.use(t.Context(), "", func(error) bool { return true }, func(ctx context.Context, k *process) error {
		_, err := k.Evaluate(ctx, "import os; os._exit(1)", nil)
		return err
	})
	if err == nil {
		t.Error("a kernel that died answers")
	}
	if fourth := helperID(t, h, nil); fourth == third {
		t.Errorf("%s is used on", third)
	}
	gone(t, h, third)
}
