package session

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/undo"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
)

func closeWorld(t *testing.T, w *fakeWorld) {
	t.Helper()
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestIdleDocumentIsEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: 5 * time.Minute})
		defer closeWorld(t, w)
		w.mustOpen(t, "a.ipynb").Release()

		time.Sleep(4 * time.Minute)
		synctest.Wait()
		i := w.status(t, "a.ipynb")
		must.Eq(t, Connected, i.Status, must.Sprint("after 4 minutes"))
		must.Eq(t, time.Minute, i.ExpiresIn, must.Sprint("after 4 minutes"))
		// Use resets the idle time.
		w.mustOpen(t, "/a.ipynb").Release()
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Connected {
			t.Fatalf("4 minutes after the last use it is %s", i.Status)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Disconnected {
			t.Fatalf("5 minutes after the last use it is %s", i.Status)
		}
		if !w.room(0).Left.Load() {
			t.Error("the room was not left")
		}
		if w.lobby.left != 1 {
			t.Errorf("the agent left the lobby %d times, want once, with its last document", w.lobby.left)
		}
		if w.joined("a.ipynb") != 1 {
			t.Errorf("joined %d times before it was evicted, want 1", w.joined("a.ipynb"))
		}
		// Opening it again joins it again.
		w.mustOpen(t, "a.ipynb").Release()
		if w.joined("a.ipynb") != 2 {
			t.Errorf("joined %d times, want 2", w.joined("a.ipynb"))
		}
		if i := w.status(t, "a.ipynb"); i.Status != Connected {
			t.Errorf("opened again it is %s", i.Status)
		}
	})
}

func TestDocumentInUseIsNotEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: time.Minute})
		defer closeWorld(t, w)
		d := w.mustOpen(t, "a.ipynb")
		time.Sleep(time.Hour)
		synctest.Wait()
		i := w.status(t, "a.ipynb")
		must.Eq(t, Connected, i.Status, must.Sprint("held for an hour"))
		must.True(t, i.Busy, must.Sprint("held for an hour"))
		d.Release()
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Connected {
			t.Fatal("evicted before its time")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Disconnected {
			t.Fatal("not evicted a minute after its release")
		}
	})
}

func TestOpenWhileLeavingJoinsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: time.Minute})
		defer closeWorld(t, w)
		w.mustOpen(t, "a.ipynb").Release()
		w.room(0).LeaveTakes.Store(int64(2 * time.Second))
		time.Sleep(time.Minute + time.Second) // in the middle of leaving
		began := time.Now()
		d := w.mustOpen(t, "a.ipynb")
		defer d.Release()
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("opened after %v, want 1s: when the old session has ended", waited)
		}
		if d.current().room != room(w.room(1)) {
			t.Error("the document has the room that was left")
		}
	})
}

// A document that is being left has not ended yet: it is disconnected only when the manager no longer has it.
func TestLeavingIsNotTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{IdleTimeout: time.Minute})
		w.mustOpen(t, "a.ipynb").Release()
		w.room(0).LeaveTakes.Store(int64(2 * time.Second))
		w.room(0).End(&rtc.CloseError{Code: rtc.CodeLeft, Action: rtc.GiveUp})
		time.Sleep(time.Second) // in the middle of leaving
		if i := w.status(t, "a.ipynb"); i.Status != Away {
			t.Errorf("while it is put away it is %s: %s", i.Status, i.Message)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if i := w.status(t, "a.ipynb"); i.Status != Disconnected {
			t.Errorf("after that it is %s: %s", i.Status, i.Message)
		}
		closeWorld(t, w)
	})
}

func TestOpenAtOnceJoinsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		w.delay = time.Second
		docs := make(chan *Document, 10)
		for range 10 {
			go func() {
				d, err := w.Open(t.Context(), jupyter.MustPath("a.ipynb"))
				if err != nil {
					t.Error(err)
				}
				docs <- d
			}()
		}
		first := <-docs
		for range 9 {
			if d := <-docs; d != first {
				t.Error("two documents of one notebook")
			}
		}
		if w.joined("a.ipynb") != 1 {
			t.Errorf("joined %d times, want 1", w.joined("a.ipynb"))
		}
	})
}

func TestFailedOpenIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		w.fail = errors.New("no")
		if _, err := w.Open(t.Context(), jupyter.MustPath("a.ipynb")); !errors.Is(err, w.fail) {
			t.Fatalf("error %v, want the join's", err)
		}
		w.fail = nil
		w.mustOpen(t, "a.ipynb").Release()
	})
}

func TestLeastRecentlyUsedMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{MaxRooms: 3})
		defer closeWorld(t, w)
		held := w.mustOpen(t, "0.ipynb") // the oldest, but in use
		defer held.Release()
		for i := 1; i <= 3; i++ {
			time.Sleep(time.Second)
			w.mustOpen(t, fmt.Sprintf("%d.ipynb", i)).Release()
			synctest.Wait()
		}
		for i, want := range []string{Connected, Disconnected, Connected, Connected} {
			if got := w.status(t, fmt.Sprintf("%d.ipynb", i)).Status; got != want {
				t.Errorf("%d.ipynb is %s, want %s", i, got, want)
			}
		}
	})
}

func TestCloseLeavesAllRoomsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		for i := range 20 {
			w.mustOpen(t, fmt.Sprintf("%d.ipynb", i)).Release()
			w.room(i).LeaveTakes.Store(int64(2 * time.Second))
		}
		began := time.Now()
		closeWorld(t, w)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("20 rooms were left in %v, want 2s: side by side", took)
		}
		if _, err := w.Open(t.Context(), jupyter.MustPath("1.ipynb")); !errors.Is(err, ErrClosed) {
			t.Errorf("open after close: %v, want ErrClosed", err)
		}
	})
}

// A server that does not answer delays the end only up to its bound.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		for i := range 20 {
			w.mustOpen(t, fmt.Sprintf("%d.ipynb", i)) // in use, all of them
			w.room(i).LeaveTakes.Store(int64(time.Hour))
		}
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		began := time.Now()
		_ = w.Close(ctx)
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("closing took %v, want the context's 4s", took)
		}
	})
}

// A room with another history is rejoined, with an empty replica; an edit that it had not confirmed is reported as not
// made.
func TestDiscardedRoomIsJoinedAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d := w.mustOpen(t, "a.ipynb")
		defer d.Release()
		old := d.Notebook()
		ctx := origin.With(t.Context(), origin.Author{Client: "a", Call: 1})
		err := d.Edit(ctx, "insert", func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
			return err
		})
		must.NoError(t, err, must.Sprint("no step"))
		must.SliceLen(t, 1, d.StepsOf(origin.Author{Client: "a"}).List(t.Context()), must.Sprint("no step"))
		w.room(0).End(&rtc.CloseError{Code: rtc.CodeSession, Action: rtc.Discard})
		synctest.Wait()
		if w.joined("a.ipynb") != 2 {
			t.Fatalf("joined %d times, want 2", w.joined("a.ipynb"))
		}
		if d.Notebook() == old {
			t.Error("the replica of the old room is still in use")
		}
		_, why := d.StepsOf(origin.Author{Client: "a"}).Since()
		test.Eq(t, undo.JoinedAfresh, why)
		test.SliceEmpty(t, d.StepsOf(origin.Author{Client: "a"}).List(t.Context()))
		insert := func(e *ydoc.Editor) error {
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
			return err
		}
		if err := d.Edit(t.Context(), "insert", insert); err != nil {
			t.Errorf("edit in the new room: %v", err)
		}
	})
}

func TestEditThatIsLostSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWorld(t, Config{})
		defer closeWorld(t, w)
		d := w.mustOpen(t, "a.ipynb")
		defer d.Release()
		err := d.Edit(t.Context(), "insert", func(e *ydoc.Editor) error {
			w.room(0).End(&rtc.CloseError{Code: rtc.CodeSession, Action: rtc.Discard})
			_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "x"})
			return err
		})
		var lost *LostError
		if !errors.As(err, &lost) {
			t.Errorf("error %v, want a LostError", err)
		}
	})
}
