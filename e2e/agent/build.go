package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds the program with the race detector into a folder and returns its path. root is the top of the repository.
// NBDUET_RACEFLAGS holds further flags for tests that are compiled without the race detector.
func Build(root, dir string) (string, error) {
	file := filepath.Join(dir, "nbduet")
	flags := strings.Fields(os.Getenv("NBDUET_RACEFLAGS"))
	build := exec.Command("go", slices.Concat([]string{"build", "-race"}, flags, []string{"-o", file, "./cmd/nbduet"})...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nbduet: %w\n%s", err, out)
	}
	return file, nil
}
