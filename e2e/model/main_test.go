package model_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
)

// sequences is the default number of sequences of calls in each test.
const sequences = "4"

func TestMain(m *testing.M) {
	jupytertest.AlwaysReal()
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", sequences); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(jupytertest.Tests(m))
}

type dict = map[string]any

// caller calls tools.
type caller struct {
	ctx    context.Context
	server *jupytertest.Server
	client *client.Client
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	s := jupytertest.Shared(t)
	srv, err := jupyter.New(jupyter.Options{URL: s.URL, Token: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	manager := session.New(session.Config{Server: srv})
	mcpServer, err := tools.New(tools.Config{Work: deps.NewWork(manager), Version: "test", Answers: tools.JSONAnswers})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewInProcessClient(mcpServer)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := manager.Close(context.Background()); err != nil {
			t.Error(err)
		}
		srv.CloseIdleConnections()
	})
	return &caller{t.Context(), s, c}
}

// call calls a tool and returns its first text, and whether it refused.
func (c *caller) call(t *rapid.T, tool string, args dict) (string, bool) {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := c.client.CallTool(c.ctx, req)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	text, _ := res.Content[0].(mcp.TextContent)
	return text.Text, res.IsError
}

// do calls a tool that must succeed and decodes its answer.
func (c *caller) do(t *rapid.T, tool string, args dict, dst any) {
	t.Helper()
	text, refused := c.call(t, tool, args)
	if refused {
		t.Fatalf("%s %v: %s", tool, args, text)
	}
	if dst != nil {
		if err := json.Unmarshal([]byte(text), dst); err != nil {
			t.Fatalf("%s: %v: %s", tool, err, text)
		}
	}
}

// refuse calls a tool that must fail.
func (c *caller) refuse(t *rapid.T, tool string, args dict) {
	t.Helper()
	if text, refused := c.call(t, tool, args); !refused {
		t.Fatalf("%s takes %v: %s", tool, args, text)
	}
}

// file reads a file from disk.
func (c *caller) file(path string) (string, error) {
	b, err := os.ReadFile(filepath.Join(c.server.Root, filepath.FromSlash(path)))
	return string(b), err
}

// piece draws the parts of texts: plain characters, line ends, characters beyond 16 bits, and some that consist of
// several code points.
var piece = rapid.SampledFrom([]string{
	"a", "b", "ab ", " ", "\n", "word\n", "\r\n", "é", "e\u0301", "日本", "😀", "𝒷", "👨‍👩‍👧", "🇩🇪", "\u2028", "\t", "\"", "<",
})

func someText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, label), "")
}

// stored returns a text in the form that documents keep.
func stored(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
