package agent

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build builds the program with the race detector into a folder and returns
// its file. root is the top of the repository.
func Build(root, dir string) (string, error) {
	file := filepath.Join(dir, "nbduet")
	build := exec.Command("go", "build", "-race", "-o", file, "./cmd/nbduet")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nbduet: %w\n%s", err, out)
	}
	return file, nil
}
