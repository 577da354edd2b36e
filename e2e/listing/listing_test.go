// Package listing counts the tokens of the program's list of tools and checks it against the rules of model providers.
// It starts the program without a Jupyter server.
package listing

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tiktoken-go/tokenizer"
)

// Limits of the list for a client without chosen toolsets.
const (
	mostTools  = 20
	mostTokens = 4700
)

// mostInstructions is the limit in tokens of the instructions for such a client.
const mostInstructions = 300

// listed returns the list of tools of the program, started with the arguments.
func listed(t *testing.T, args ...string) []mcp.Tool {
	t.Helper()
	c, _ := started(t, args...)
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// started returns a client of the program, and the program's answer to initialize.
func started(t *testing.T, args ...string) (*client.Client, *mcp.InitializeResult) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "nbduet")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/nbduet")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c, err := client.NewStdioMCPClient(program, []string{"NBDUET_STATE=:memory:", "HOME=" + t.TempDir()}, append([]string{"--jupyter-url=http://127.0.0.1:9", "--token=x", "--log-level=error"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the program is no longer needed
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	own, err := c.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	return c, own
}

// encodings are the tokenizers of two generations.
var encodings = []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase}

// tokens returns the number of tokens of a text.
func tokens(t *testing.T, kind tokenizer.Encoding, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(kind)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The text that a model reads before any tool is within the limit and contains the steps of an analysis.
func TestInstructionsFit(t *testing.T) {
	_, own := started(t)
	for _, kind := range encodings {
		n := tokens(t, kind, own.Instructions)
		t.Logf("%s: %d tokens", kind, n)
		if n > mostInstructions {
			t.Errorf("%s: %d tokens, at most %d:\n%s", kind, n, mostInstructions, own.Instructions)
		}
	}
}

// The default list is within the limit, counted as sent, with titles and annotations, but without the hints for hosts,
// which no host gives to its model.
func TestDefaultListFits(t *testing.T) {
	tools := listed(t)
	for i := range tools {
		tools[i].Meta = nil
	}
	b, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) > mostTools {
		t.Errorf("%d tools, at most %d", len(tools), mostTools)
	}
	for _, kind := range encodings {
		n := tokens(t, kind, string(b))
		t.Logf("%s: %d tools, %d tokens", kind, len(tools), n)
		if n > mostTokens {
			t.Errorf("%s: %d tokens, at most %d", kind, n, mostTokens)
		}
	}
}
