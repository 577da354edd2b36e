// Package ystore prepares the store of a real Jupyter server's rooms, so that tests may open several rooms at once in
// a newly started server.
//
// pycrdt makes the tables when the first room opens, and does not expect a second one meanwhile. Of two rooms one
// fails with "table yupdates already exists", or mistakes the half-made file for one of an older version and moves it
// away under the other, which then fails with "disk I/O error" at some later time. Such a room no longer passes on
// people's edits.
package ystore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// name is the name of the file, in the server's working folder (jupyter-collaboration, SQLiteYStore.db_path).
const name = ".jupyter_ystore.db"

// script makes an empty store; it does nothing if pycrdt.store is missing.
const script = `
try:
    from pycrdt.store import SQLiteYStore
except ImportError:
    raise SystemExit
import anyio

class Store(SQLiteYStore):
    db_path = "` + name + `"

async def main():
    async with Store("") as store:
        await store.db_initialized.wait()

anyio.run(main)
`

var (
	mu     sync.Mutex
	stores = map[string][]byte{} // by Python program
)

// Prepare puts an empty store into a server's working folder before the server starts. program is the server's
// program, in the same folder as its Python. It does nothing if that Python or pycrdt's store is missing.
func Prepare(program, folder string) error {
	b, err := empty(filepath.Join(filepath.Dir(program), "python"))
	if err != nil || b == nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
		return fmt.Errorf("prepare the store of the rooms: %w", err)
	}
	return nil
}

// empty makes an empty store once for each Python; nil if the Python has no store.
func empty(python string) ([]byte, error) {
	mu.Lock()
	defer mu.Unlock()
	if b, ok := stores[python]; ok {
		return b, nil
	}
	if _, err := os.Stat(python); err != nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "nbduet-ystore-")
	if err != nil {
		return nil, fmt.Errorf("make a store of rooms: %w", err)
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(python, "-I", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a store of rooms with %s: %w\n%s", python, err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the store of rooms: %w", err)
	}
	stores[python] = b
	return b, nil
}
