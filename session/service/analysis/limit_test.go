package analysis_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// An owner has no more sessions than its limit, and the error names the one that has been idle for longest. Sessions for
// kernels that calls name do not count.
func TestLimitOfSessions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		if !jupytertest.Real() {
			defer synctest.Wait()
		}
		m := sessiontest.Manager(t, jupytertest.Shared(t), session.Config{})
		table := analysis.New(m)
		table.Limit(2)
		create := func(owner string) (*analysis.Session, error) {
			time.Sleep(time.Millisecond) // so that the sessions differ in age
			return table.Create(t.Context(), owner, analysis.Options{})
		}
		first, err := create("ada")
		if err != nil {
			t.Fatal(err)
		}
		second, err := create("ada")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
		if _, err := first.Evaluate(t.Context(), "1", nil); err != nil {
			t.Fatal(err)
		}
		var full *analysis.LimitError
		_, err = create("ada")
		must.True(t, errors.As(err, &full), must.Sprint("a third one"))
		test.Eq(t, 2, full.Most, test.Sprint("a third one"))
		test.Eq(t, second.ID(), full.Idle, test.Sprint("a third one"))
		third, err := create("bob")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Attach(t.Context(), "ada", second.KernelID()); err != nil {
			t.Errorf("a kernel by its id: %v", err)
		}
		if err := table.Delete(t.Context(), "ada", second.ID()); err != nil {
			t.Error(err)
		}
		if _, err := create("ada"); err != nil {
			t.Errorf("after one has ended: %v", err)
		}
		table.Limit(0)
		if _, err := create("ada"); err != nil {
			t.Errorf("without a limit: %v", err)
		}
		if err := table.Delete(t.Context(), "bob", third.ID()); err != nil {
			t.Error(err)
		}
	})
}
