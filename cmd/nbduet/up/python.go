package up

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The versions of Python, 3.x, that all packages of the lock have wheels for.
const (
	oldestPython = 10
	newestPython = 14
)

// askTime is how long a Python may take to tell of itself.
const askTime = 20 * time.Second

// A python is a Python, and what it says of itself.
type python struct {
	Program string `json:"program"` // its own name for itself
	Version [3]int `json:"version"`
	Prefix  string `json:"prefix"`
	Venv    bool   `json:"venv"` // it can make environments that have pip
	Lab     string `json:"lab"`
	Collab  string `json:"collab"`
}

// ask is what a Python is asked by. Versions that are too old have to understand it, too. The folder where it runs is none to
// import from: a file in it may be called json.py.
const ask = `import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json
said = {"program": sys.executable, "version": list(sys.version_info[:3]), "prefix": sys.prefix}
try:
    import ensurepip, venv
    said["venv"] = True
except ImportError:
    pass
try:
    from importlib.metadata import version
    for key, name in (("lab", "jupyterlab"), ("collab", "jupyter-collaboration")):
        try:
            said[key] = version(name)
        except Exception:
            pass
except ImportError:
    pass
print(json.dumps(said))
`

// newPython asks the Python of a file.
func newPython(ctx context.Context, program string) (python, error) {
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	var out, errs bytes.Buffer
	cmd := command(ctx, program, "-c", ask)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var p python
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &p)
	}
	if err != nil {
		return p, fmt.Errorf("ask %s for its version: %w: %s", program, err, lastLine(errs.String()))
	}
	return p, nil
}

func (p python) String() string {
	return fmt.Sprintf("%d.%d.%d", p.Version[0], p.Version[1], p.Version[2])
}

// series is the version that decides which wheels fit.
func (p python) series() string { return fmt.Sprintf("%d.%d", p.Version[0], p.Version[1]) }

func (p python) tooOld() bool {
	return p.Version[0] < 3 || p.Version[0] == 3 && p.Version[1] < oldestPython
}

func (p python) tooNew() bool {
	return p.Version[0] > 3 || p.Version[0] == 3 && p.Version[1] > newestPython
}

// inEnvironment is the Python of a virtual environment, or of one of conda, or "".
func inEnvironment(dir string) string {
	if dir == "" {
		return ""
	}
	names := []string{filepath.Join("bin", "python"), filepath.Join("bin", "python3")}
	if runtime.GOOS == "windows" {
		names = []string{filepath.Join("Scripts", "python.exe"), "python.exe"}
	}
	for _, name := range names {
		program := filepath.Join(dir, name)
		if info, err := os.Stat(program); err == nil && !info.IsDir() {
			return program
		}
	}
	return ""
}

// ofScript is the Python that runs a script which pip has made: that of its first line or, where that would be too long or
// have a space, of its second, which is for a shell. On Windows it is beside the script, or above.
func ofScript(script string) string {
	dir := filepath.Dir(script)
	if runtime.GOOS == "windows" {
		return inEnvironment(filepath.Dir(dir))
	}
	f, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 0; n < 2 && lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if rest, ok := strings.CutPrefix(line, "'''exec' "); ok {
			rest, _, _ = strings.Cut(strings.TrimPrefix(rest, `"`), `" `)
			rest, _, _ = strings.Cut(rest, ` "$0"`)
			return rest
		}
		program, ok := strings.CutPrefix(line, "#!")
		if program = strings.TrimSpace(program); ok && filepath.IsAbs(program) && strings.HasPrefix(filepath.Base(program), "python") {
			return program
		}
	}
	return ""
}

// inPath is a program of PATH, or "". A program in the working directory does not count.
func inPath(name string) string {
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return program
}

// programOf is the file of a program that somebody has named.
func programOf(name string) (string, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(program)
}

// lastLine is the last line of a text that has anything in it.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
