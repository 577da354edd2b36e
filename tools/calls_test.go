package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Twelve sessions work at once, and endless code in one does not delay the others.
func TestManySessionsAtOnce(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		const sessions = 12
		r := toolstest.New(t)
		dir := t.TempDir()
		began, gate := filepath.Join(dir, "began"), filepath.Join(dir, "gate")
		made := make([]analysis.SessionInfo, sessions)
		each := func(from int, do func(i int) error) {
			t.Helper()
			var wg sync.WaitGroup
			errs := make([]error, sessions)
			for i := from; i < sessions; i++ {
				wg.Go(func() { errs[i] = do(i) })
			}
			wg.Wait()
			for i, err := range errs {
				if err != nil {
					t.Errorf("session %d: %v", i, err)
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
		each(0, func(i int) error {
			return r.Tried("session_create", toolstest.Dict{"name": fmt.Sprint(i)}, &made[i])
		})

		var slow analysis.CodeResult
		ended := make(chan error, 1)
		go func() {
			ended <- r.Tried("execute_code", toolstest.Dict{"session_id": made[0].ID, "timeout": 600, "code": fmt.Sprintf(
				"import os, time\nopen(%q, 'w').close()\nwhile not os.path.exists(%q):\n    time.sleep(0.02)\nprint('through')", began, gate)}, &slow)
		}()
		open := sync.OnceFunc(func() {
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Error(err)
			}
		})
		defer func() { // the call always ends before the test does
			open()
			if ended != nil {
				<-ended
			}
		}()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat(began); err == nil {
				break
			} else if time.Now().After(deadline) {
				t.Fatal("the slow code does not begin")
			}
		}

		// The slow code ends after all others have been answered, not before.
		each(1, func(i int) error {
			for round := range 3 {
				var out analysis.CodeResult
				if err := r.Tried("execute_code", toolstest.Dict{"session_id": made[i].ID, "timeout": 300, "code": fmt.Sprintf("mine = %d\nprint(mine)", 100*i+round)}, &out); err != nil {
					return err
				}
				if want := fmt.Sprintf("%d\n", 100*i+round); !out.Success || out.Stdout != want {
					return fmt.Errorf("answered %+v, want %q", out, want)
				}
			}
			if !jupytertest.Real() { // the fake kernel has no values to inspect
				return nil
			}
			var found struct{ Variables []struct{ Name string } }
			if err := r.Tried("get_variables", toolstest.Dict{"session_id": made[i].ID}, &found); err != nil {
				return err
			}
			if len(found.Variables) != 1 || found.Variables[0].Name != "mine" {
				return fmt.Errorf("its variables are %+v", found.Variables)
			}
			return nil
		})
		var list analysis.SessionsResult
		r.Good("session_list", nil, &list)
		for _, one := range list.Sessions {
			if (one.ID == made[0].ID) != (one.Status == "busy") {
				t.Errorf("session %s is %s", one.Name, one.Status)
			}
		}
		if len(list.Sessions) != sessions {
			t.Errorf("the sessions are %+v", list.Sessions)
		}
		select {
		case err := <-ended:
			ended = nil
			t.Errorf("the slow code has ended: %v, %+v", err, slow)
			return
		default:
		}
		open()
		err := <-ended
		ended = nil
		must.NoError(t, err)
		test.True(t, slow.Success)
		test.Eq(t, "through\n", slow.Stdout)
		each(0, func(i int) error {
			return r.Tried("session_delete", toolstest.Dict{"session_id": made[i].ID}, &analysis.EndedResult{})
		})
	})
}
