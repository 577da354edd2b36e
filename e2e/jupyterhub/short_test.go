package jupyterhub

import (
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
)

// What gates a change, of the tests of hubs: with one hub and one user, the program on her machine does what people do
// most, and says of a server that is stopped that the hub has it so.
func TestInShort(t *testing.T) {
	s := &site{Hub: start(t, hubs.Options{Version: 6, Prefix: "/labs/", Config: block(t, onYourMachine, "python")})}
	s.ann = joined(t, s.Hub, "ann")
	made := token(t, s.Hub, "ann", mine("ann"))
	a := laptop(t, configured(t, onYourMachine, s.Hub, made))
	s.works(t, a, s.ann, "ann", made)
	must.NoError(t, s.StopServer(t.Context(), "ann"))
	refused(t, a, "list_documents", map[string]any{}, "JupyterHub")
}
