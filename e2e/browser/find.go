package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/nbduet/nbduet/e2e/lab"
)

// PathVariable names the environment variable with the path of the browser.
const PathVariable = "CHROME_BIN"

// Find returns the path of the Chromium or Chrome to use: CHROME_BIN, else the first in the search path, else the one
// that `make browser` put into the repository.
func Find() (string, error) {
	if name := os.Getenv(PathVariable); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s does not name a program: %w", PathVariable, err)
		}
		return path, nil
	}
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	hint := "install Chromium or Chrome"
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		if root, err := lab.RepoRoot(); err == nil {
			path := filepath.Join(root, "e2e", "chromium", "node_modules", ".browser", "chromium")
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
		hint = "run `make browser`"
	}
	return "", fmt.Errorf("no Chromium found: %s, or name one with %s", hint, PathVariable)
}
