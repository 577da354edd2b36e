package sdk

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/nbduet/nbduet/e2e/lab"
)

// Kit is the library of a client.
type Kit int

const (
	// TypeScript is version 1 of the MCP SDK for TypeScript, on which many hosts
	// are built. It speaks the revisions that begin with `initialize`.
	TypeScript Kit = iota
	// TypeScript2 is its version 2, which speaks 2026-07-28 too.
	TypeScript2
	// Python is version 2 of the MCP SDK for Python, which speaks both too.
	Python
)

// String returns the kit's name.
func (k Kit) String() string {
	switch k {
	case TypeScript:
		return "TypeScript 1"
	case TypeScript2:
		return "TypeScript 2"
	case Python:
		return "Python 2"
	}
	return fmt.Sprintf("kit %d", int(k))
}

// program returns the command line of the client.
func (k Kit) program() ([]string, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return nil, err
	}
	node := filepath.Join(root, "e2e", "node")
	switch k {
	case TypeScript, TypeScript2:
		file, library := "client.mjs", "sdk"
		if k == TypeScript2 {
			file, library = "client2.mjs", "client"
		}
		if _, err := os.Stat(filepath.Join(node, "node_modules", "@modelcontextprotocol", library)); err != nil {
			return nil, fmt.Errorf("no MCP SDK for %v: run `make node`: %w", k, err)
		}
		return []string{"node", "--experimental-websocket", filepath.Join(node, file)}, nil // Node 22 has it by default
	case Python:
		python := cmp.Or(os.Getenv("NBDUET_MCP_PYTHON"), filepath.Join(root, ".cache", "mcp", "bin", "python"))
		if _, err := exec.LookPath(python); err != nil {
			return nil, fmt.Errorf("no MCP SDK for %v: run `make venv-mcp`, or set NBDUET_MCP_PYTHON: %w", k, err)
		}
		return []string{python, filepath.Join(root, "e2e", "python", "mcp_client.py")}, nil
	}
	return nil, fmt.Errorf("there is no %v", k)
}
