package waitbudget

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers returns a function that waits for a server that answers after a while.
func answers(after time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(after):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// All waits of a call together take no longer than its limit, whether or not the answers come, and the caller is
// notified meanwhile.
func TestBudgetIsForAllWaits(t *testing.T) {
	for name, c := range map[string]struct {
		waits []time.Duration // until the answers come
		took  time.Duration
		away  bool
		told  bool
	}{
		"answered at once":            {[]time.Duration{0, 0}, 0, false, false},
		"answered in time":            {[]time.Duration{4 * time.Second, 4 * time.Second}, 8 * time.Second, false, true},
		"never answered":              {[]time.Duration{time.Hour}, 10 * time.Second, true, true},
		"the second is not":           {[]time.Duration{6 * time.Second, time.Hour}, 10 * time.Second, true, true},
		"none is waited for again":    {[]time.Duration{time.Hour, time.Hour, 0}, 10 * time.Second, true, true},
		"a little is always left":     {[]time.Duration{9500 * time.Millisecond, 900 * time.Millisecond}, 10400 * time.Millisecond, false, true},
		"a little, and not more left": {[]time.Duration{9500 * time.Millisecond, time.Hour}, 10500 * time.Millisecond, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := 0
				b := New(nil, 10*time.Second, func(string) { told++ })
				began := time.Now()
				var err error
				for _, after := range c.waits {
					err = b.Wait(t.Context(), answers(after))
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("the waits took %s, want %s", took, c.took)
				}
				var away *AwayError
				if errors.As(err, &away) != c.away {
					t.Errorf("error %v", err)
				}
				if c.away && !errors.Is(err, jupyter.ErrUnreachable) {
					t.Errorf("%v is not that of a server out of reach", err)
				}
				if (told > 0) != c.told {
					t.Errorf("told %d times", told)
				}
			})
		})
	}
}

// The context of a call carries its budget.
func TestBudgetOfAContext(t *testing.T) {
	b := New(nil, time.Second, nil)
	must.Nil(t, Of(t.Context()), must.Sprint("the context has another budget"))
	test.EqOp(t, b, Of(b.With(t.Context())), test.Sprint("the context has another budget"))
}
