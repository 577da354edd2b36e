package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/tokens"
)

// exitLimit is how long a server may take to end.
const exitLimit = 20 * time.Second

// server is a running MCP server with its client.
type server struct {
	name    string
	version string
	process *agent.Process
	client  *client.Client
	// record, if not nil, gets the texts of all answers.
	record io.Writer
}

// start starts an MCP server and connects to it over stdio.
func start(ctx context.Context, name, program string, args, env []string) (*server, error) {
	p, err := agent.Spawn(agent.Options{Binary: program, Args: args, Env: env, Words: true})
	if err != nil {
		return nil, err
	}
	c := client.NewClient(transport.NewIO(p.Stdout, p.Stdin, io.NopCloser(strings.NewReader(""))))
	s := &server{name: name, process: p, client: c}
	if err := s.connect(ctx); err != nil {
		p.Kill()
		return nil, fmt.Errorf("connect to %s: %w; the end of its log:\n%s", name, errors.Join(err, c.Close()), tail(p.Log()))
	}
	return s, nil
}

func (s *server) connect(ctx context.Context) error {
	// The client keeps this context for its whole life.
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	hello.Params.ClientInfo = mcp.Implementation{Name: "nbduet-bench", Version: "1"}
	about, err := s.client.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	s.version = about.ServerInfo.Version
	return nil
}

// close ends the server. An error of the other server is ignored.
func (s *server) close() error {
	err := s.client.Close()
	if _, late := s.process.Wait(exitLimit); late != nil {
		s.process.Kill()
	}
	if err != nil {
		return fmt.Errorf("leave %s: %w", s.name, err)
	}
	return nil
}

// call is a call of a tool.
type call struct {
	tool string
	args map[string]any
}

// cost makes the calls of a measurement and counts the tokens of all texts of their answers.
func (s *server) cost(ctx context.Context, m measurement, calls []call) (int, error) {
	sum, pictures := 0, 0
	var said strings.Builder
	for _, c := range calls {
		var request mcp.CallToolRequest
		request.Params.Name, request.Params.Arguments = c.tool, c.args
		result, err := s.client.CallTool(ctx, request)
		if err != nil {
			return 0, fmt.Errorf("call %s of %s: %w", c.tool, s.name, err)
		}
		pictures += picturesOf(result)
		for _, text := range textsOf(result) {
			if result.IsError && !m.fails {
				return 0, fmt.Errorf("call %s of %s with %v: %s", c.tool, s.name, c.args, text)
			}
			n, err := tokens.Count(text)
			if err != nil {
				return 0, err
			}
			sum += n
			said.WriteString(text + "\n")
			if err := s.keep(m, c, text, n); err != nil {
				return 0, err
			}
		}
	}
	for _, says := range m.says {
		if !strings.Contains(said.String(), says) {
			return 0, fmt.Errorf("%s of %s does not say %q, but %q", m.what, s.name, says, said.String())
		}
	}
	if pictures < m.pictures {
		return 0, fmt.Errorf("%s of %s shows %d pictures, not %d", m.what, s.name, pictures, m.pictures)
	}
	return sum, nil
}

// keep records an answer.
func (s *server) keep(m measurement, c call, text string, n int) error {
	if s.record == nil {
		return nil
	}
	if _, err := fmt.Fprintf(s.record, "=== %s: %s, %s, %d tokens\n%s\n\n", s.name, cmp.Or(m.what, "before the next"), c.tool, n, text); err != nil {
		return fmt.Errorf("record an answer: %w", err)
	}
	return nil
}

// textsOf returns the texts of an answer.
func textsOf(result *mcp.CallToolResult) (texts []string) {
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts
}

// picturesOf counts the pictures of an answer.
func picturesOf(result *mcp.CallToolResult) (n int) {
	for _, content := range result.Content {
		if _, ok := content.(mcp.ImageContent); ok {
			n++
		}
	}
	return n
}

// list counts the tokens of the list of tools, as CountTools does.
func (s *server) list(ctx context.Context) (sent, given int, err error) {
	list, err := s.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err == nil {
		sent, given, err = CountTools(list.Tools)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("list the tools of %s: %w", s.name, err)
	}
	return sent, given, nil
}

// CountTools counts the tokens of a list of tools: as sent, and as models get it, with only names, descriptions and
// arguments.
func CountTools(tools []mcp.Tool) (sent, given int, err error) {
	b, err := json.Marshal(tools)
	if err != nil {
		return 0, 0, fmt.Errorf("write a list of tools: %w", err)
	}
	if sent, err = tokens.Count(string(b)); err != nil {
		return 0, 0, err
	}
	var functions []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(b, &functions); err != nil {
		return 0, 0, fmt.Errorf("read a list of tools: %w", err)
	}
	if b, err = json.Marshal(functions); err != nil {
		return 0, 0, fmt.Errorf("write a list of tools: %w", err)
	}
	given, err = tokens.Count(string(b))
	return sent, given, err
}

// tail is the end of a log.
func tail(log string) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
