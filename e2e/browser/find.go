package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// PathVariable names the environment variable that says which browser to use.
const PathVariable = "CHROME_BIN"

// Find returns the path of the Chromium or Chrome to use: what CHROME_BIN
// names, else the first that the search path has.
func Find() (string, error) {
	if name := os.Getenv(PathVariable); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s names no program: %w", PathVariable, err)
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
	return "", errors.New("no Chromium found: install one (`make browser` does so on Debian), or name one with " + PathVariable)
}
