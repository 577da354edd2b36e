package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// VenvVariable names the environment variable that points to a virtual
// environment to be used in place of `.venv` at the top of the repository.
const VenvVariable = "NBDUET_VENV"

// Python returns the absolute path of the interpreter of the virtual
// environment with JupyterLab. The error says how to make one.
func Python() (string, error) {
	venv := os.Getenv(VenvVariable)
	if venv == "" {
		root, err := RepoRoot()
		if err != nil {
			return "", err
		}
		venv = filepath.Join(root, ".venv")
	}
	venv, err := filepath.Abs(venv)
	if err != nil {
		return "", fmt.Errorf("find the virtual environment: %w", err)
	}
	python := filepath.Join(venv, "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(venv, "Scripts", "python.exe")
	}
	if _, err := os.Stat(python); err != nil {
		return "", fmt.Errorf("no virtual environment with JupyterLab at %s: run `make venv`, or name another one with %s", venv, VenvVariable)
	}
	return python, nil
}

// RepoRoot returns the top folder of the repository that the working directory
// lies in, found by the module file of the program.
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
