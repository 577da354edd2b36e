package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// A server without collaboration gets one message, which names the packages to install.
func TestServerWithoutCollaboration(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		s := jupytertest.Start(t, jupytertest.WithoutCollaboration())
		m := sessiontest.Manager(t, s, session.Config{})
		_, err := m.Open(t.Context(), jupyter.MustPath(s.Notebook(t, "x = 1")))
		if !errors.Is(err, jupyter.ErrNoCollaboration) {
			t.Fatalf("open: %v, want no collaboration", err)
		}
		if !strings.Contains(err.Error(), "pip install jupyter-collaboration") {
			t.Errorf("the error does not name the package: %v", err)
		}
	})
}
