package seeds

import (
	"debug/buildinfo"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// The program's identity and its start.
func checkProgram(c *check) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		c.Fatal(err)
	}
	var uses []string
	for _, dep := range info.Deps {
		uses = append(uses, dep.Path)
	}
	inGo := slices.Contains(uses, "github.com/mark3labs/mcp-go") && slices.Contains(uses, "github.com/skyterra/y-crdt") && slices.Contains(uses, "github.com/gorilla/websocket")
	for _, row := range []string{"001.063", "002.159", "003.111"} {
		c.row(row, inGo, uses)
	}
	once := func(args []string, env ...string) (out string, p *agent.Process) {
		p, err := agent.Spawn(agent.Options{Binary: binary, Args: args, Env: env})
		if err != nil {
			c.Fatal(err)
		}
		b, err := io.ReadAll(p.Stdout)
		_, late := p.Wait(patience)
		must.NoError(c, err)
		must.NoError(c, late)
		return string(b), p
	}
	out, _ := once([]string{"--help"}, env()...)
	help := strings.Join(strings.Fields(out), " ")
	says := func(flag, end string) bool {
		return regexp.MustCompile(regexp.QuoteMeta(flag) + `=[^$]*?` + regexp.QuoteMeta(end)).MatchString(help)
	}
	c.row("002.153", says("--session-timeout", "Default: 5 ("), help)
	c.row("003.104", says("--jupyter-url", "http://localhost:8888"), help)
	c.row("003.107", says("--port", "Default: 3001 (") && says("--log-level", "Default: info ("), help)
	c.row("002.158", strings.Contains(help, "--session-timeout=MINUTES"), help)
	c.row("001.052", strings.Contains(help, "--document-id=") && !strings.Contains(help, "notebook.ipynb)."), help)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	_, refused := once([]string{"--transport=streamable-http"}, reaching(c.Server.URL, c.Server.Token, "MCP_PORT="+port)...)
	c.row("003.106", strings.Contains(refused.Log(), "127.0.0.1:"+port), refused.Log())
	alone := startWith(c, agent.Options{Env: env("NBDUET_STATE=:memory:", "JUPYTER_RUNTIME_DIR="+c.TempDir())})
	told := alone.call("list_nbs", nil)
	c.row("003.108", told.Failed && strings.Contains(told.Raw, "JUPYTER_SERVER_URL") && strings.Contains(told.Raw, "JUPYTER_TOKEN"), told.Raw)
	c.row("003.112", strings.Contains(alone.welcome, "create_document") && strings.Contains(alone.welcome, "insert_nb_cells") && strings.Contains(alone.welcome, "inspect_data"), alone.welcome)
}
