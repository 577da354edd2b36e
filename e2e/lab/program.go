package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ProgramVariable names the environment variable with the path of `jupyter`; the default is the one in `.venv` at the
// top of the repository.
const ProgramVariable = "NBDUET_JUPYTER"

// Program returns the absolute path of the `jupyter` of a virtual environment
// with JupyterLab. The error says how to make one.
func Program() (string, error) {
	name := os.Getenv(ProgramVariable)
	if name == "" {
		root, err := RepoRoot()
		if err != nil {
			return "", err
		}
		name = filepath.Join(root, ".venv", "bin", "jupyter")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no JupyterLab: run `make venv`, or name another environment's jupyter with %s: %w", ProgramVariable, err)
	}
	return filepath.Abs(path)
}

// RepoRoot returns the top folder of the repository that contains the working directory, found by the program's module
// file.
func RepoRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "e2e", "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the working directory is not inside the repository: no e2e/go.mod above it")
		}
		dir = parent
	}
}
