package ydiff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbduet/nbduet/e2e/child"
)

// foreign is one Node and one Python process.
type foreign struct{ node, python *child.Process }

func startForeign(ctx context.Context) (*foreign, error) {
	interpreter, err := child.Python(filepath.Join("..", ".."))
	if err != nil {
		return nil, err
	}
	var f foreign
	if f.node, err = startYjs(ctx); err != nil {
		return nil, err
	}
	if f.python, err = child.Start(ctx, interpreter, "-B", filepath.Join("..", "python", "pycrdt_peer.py")); err != nil {
		return nil, errors.Join(err, f.node.Stop())
	}
	return &f, nil
}

// startYjs starts only the Node process.
func startYjs(ctx context.Context) (*child.Process, error) {
	if _, err := os.Stat(filepath.Join("..", "node", "node_modules", "yjs")); err != nil {
		return nil, fmt.Errorf("yjs is missing: make node: %w", err)
	}
	return child.Start(ctx, "node", filepath.Join("..", "node", "yjs_peer.mjs"))
}

func (f *foreign) stop() error { return errors.Join(f.node.Stop(), f.python.Stop()) }
