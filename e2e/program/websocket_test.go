package program_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
)

// A run continues after its connection is cut. The token is in the header or in the address.
func TestWebSocketCut(t *testing.T) {
	w := kit.StartWeb(t, 1)
	at := w.URL + "/mcp/ws"
	path := kit.NewNotebook(t, kit.Code("0"))
	must.NoError(t, os.WriteFile(kit.Jupyter(t).Path(path), kit.NotebookText(t, []kit.Cell{kit.Code(fmt.Sprintf(kit.Gated, strings.TrimSuffix(path, ".ipynb")))}), 0o600))
	c, _ := kit.DialSocket(t, at, map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("any:"+w.Tokens[0]))}, "mcp")
	c.RunsOn(path, kit.Jupyter(t).Path)
	for want, header := range map[int]map[string]string{401: {}, 403: {"Authorization": "Bearer " + w.Tokens[0], "Origin": "https://evil.example"}} {
		c, status := kit.DialSocket(t, at, header, "mcp")
		must.Nil(t, c)
		test.Eq(t, want, status)
	}
}
