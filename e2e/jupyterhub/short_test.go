package jupyterhub

import (
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
)

// The tests of hubs that gate a change: with one hub and one user, the program on her machine does the most common work,
// and reports that the hub has stopped a server.
func TestInShort(t *testing.T) {
	s := &site{Hub: start(t, hubs.Options{Version: 6, Prefix: "/labs/", Config: block(t, onYourMachine, "python")})}
	s.ann = joined(t, s.Hub, "ann")
	made := token(t, s.Hub, "ann", mine("ann"))
	a := laptop(t, configured(t, onYourMachine, s.Hub, made))
	s.works(t, a, s.ann, "ann", made)
	must.NoError(t, s.StopServer(t.Context(), "ann"))
	refused(t, a, "list_documents", map[string]any{}, "JupyterHub")
}
