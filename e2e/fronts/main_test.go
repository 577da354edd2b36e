package fronts

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

func TestMain(m *testing.M) { kit.Main(m) }

// password is the password of all servers that have one.
const password = "two words & more"

// jupyter starts a server for a test.
func jupyter(t *testing.T, opt lab.Options) *lab.Lab {
	t.Helper()
	l, err := lab.Start(t.Context(), opt)
	must.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of Jupyter's log:\n%s", l.LogTail(30))
		}
		if err := l.Stop(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// start starts the program with further variables and closes it when the test ends. Its log must not contain a secret.
func start(t *testing.T, l *lab.Lab, address string, env ...string) *agent.Agent {
	t.Helper()
	file := kit.Binary(t)
	base := lab.CleanEnv()
	if l != nil {
		base = l.ClientEnv()
	}
	base = append(base, "JUPYTER_RUNTIME_DIR="+t.TempDir(), "JUPYTER_SERVER_URL="+address, "NBDUET_LOG_LEVEL=debug", "NBDUET_SERVER_TIMEOUT=30")
	a, err := agent.Start(t.Context(), agent.Options{Binary: file, Env: append(base, env...), Words: true})
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the log of nbduet:\n%s", a.Log())
		}
		test.StrNotContains(t, a.Log(), password, test.Sprint("the log of nbduet has a secret"))
		test.False(t, l != nil && strings.Contains(a.Log(), l.Token), test.Sprint("the log of nbduet has a secret"))
	})
	return a
}

// do calls a tool that has to succeed and returns its text.
func do(t *testing.T, a *agent.Agent, tool string, args map[string]any) string {
	t.Helper()
	answer, err := a.Do(t.Context(), tool, args, nil)
	must.NoError(t, err)
	return answer.Text
}

// refused calls a tool that has to fail with a text that has these words, and returns the text.
func refused(t *testing.T, a *agent.Agent, tool string, args map[string]any, words ...string) string {
	t.Helper()
	answer, err := a.Call(t.Context(), tool, args)
	must.NoError(t, err)
	if !answer.IsError {
		t.Errorf("%s succeeds: %s", tool, answer.Text)
	}
	has(t, tool, answer.Text, words...)
	return answer.Text
}

// has reports each of the words that a text lacks.
func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s has no %q: %s", what, w, text)
		}
	}
}
