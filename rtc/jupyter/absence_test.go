package jupyter

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A server is known to be away when a caller's wait has timed out, until it answers anything.
func TestAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		var asked atomic.Int32
		hang := make(chan struct{})
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			select {
			case <-hang:
			case <-r.Context().Done():
				return
			}
			answer(200, "application/json", "{}")(w, r)
		})
		_, why := s.Health.StillAway(t.Context())
		must.NoError(t, why)
		test.Eq(t, 0, asked.Load())
		back, since := s.Health.Back(), time.Now().Add(-time.Minute)
		s.Health.Silent(since)
		began := time.Now()
		at, why := s.Health.StillAway(t.Context())
		must.Error(t, why, must.Sprint("one that does not answer"))
		test.True(t, at.Equal(since), test.Sprint("one that does not answer"))
		test.Eq(t, lookFor, time.Since(began), test.Sprint("one that does not answer"))
		select {
		case <-back:
			t.Error("it is back")
		default:
		}
		close(hang)
		if _, why := s.Health.StillAway(t.Context()); why != nil {
			t.Errorf("one that answers is still away: %v", why)
		}
		<-back
		if _, away := s.Health.Away(); away {
			t.Error("that is not kept")
		}
	})
}

// Consecutive failing requests mark the server as away only when they have failed for the server's timeout.
func TestFailingForAWhile(t *testing.T) {
	s := serve(t, nil, answer(200, "application/json", "{}"))
	s.absence.silent(time.Now(), false, s.timeout)
	if _, away := s.Health.Away(); away {
		t.Error("away after one failure that nobody waited for")
	}
	s.absence.failing = time.Now().Add(-s.timeout)
	s.absence.silent(time.Now(), false, s.timeout)
	if _, away := s.Health.Away(); !away {
		t.Error("not away after failures for as long as a request waits")
	}
}

// A caller that gives up does not wait for the shared look.
func TestStillAwayEndsWithItsContext(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := serve(t, nil, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		s.Health.Silent(time.Now())
		others := make(chan struct{})
		go func() {
			defer close(others)
			_, _ = s.Health.StillAway(context.Background())
		}()
		synctest.Wait() // the other caller asks the server
		ctx, stop := context.WithCancel(t.Context())
		stop()
		began := time.Now()
		_, why := s.Health.StillAway(ctx)
		must.Error(t, why)
		test.Eq(t, 0, time.Since(began))
		<-others
	})
}

// A waiting request ends when another caller has found the server to be away; one that the server answers continues.
func TestRequestUnderWayWhenTheServerIsFoundAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		var alive atomic.Bool
		asked := make(chan struct{}, 10)
		s := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			status := strings.HasSuffix(r.URL.Path, "/api")
			if status && alive.Load() {
				answer(200, "application/json", "{}")(w, r)
				return
			}
			if !status {
				asked <- struct{}{}
			}
			select {
			case <-time.After(3 * time.Second):
				answer(200, "application/json", "{}")(w, r)
			case <-r.Context().Done():
			}
		})
		for _, there := range []bool{false, true} {
			alive.Store(there)
			done := make(chan error, 1)
			ctx := WithAway(t.Context(), func(Health) error { return nil })
			go func() {
				_, err := s.Contents.Get(ctx, MustPath("a.txt"), ContentsOptions{})
				done <- err
			}()
			<-asked
			began := time.Now()
			s.Health.Silent(began)
			err := <-done
			if there && err != nil {
				t.Errorf("of a server that answers others: %v", err)
			}
			if !there && (!errors.Is(err, context.DeadlineExceeded) || time.Since(began) != lookFor) {
				t.Errorf("of one that answers nobody: %v after %s", err, time.Since(began))
			}
			s.Health.Answered()
		}
	})
}
