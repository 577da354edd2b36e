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

// The versions of Python, 3.x, for which all packages of the lock have wheels.
const (
	oldestPython = 10
	newestPython = 14
)

// askTime bounds the time in which a Python has to answer.
const askTime = 20 * time.Second

// A python is a Python's description of itself.
type python struct {
	Program string `json:"program"` // sys.executable
	Version [3]int `json:"version"`
	Prefix  string `json:"prefix"`
	Venv    bool   `json:"venv"` // it can make environments that have pip
	Lab     string `json:"lab"`
	Collab  string `json:"collab"`
}

// ask is the script that a Python runs to describe itself. Versions that are too old must understand it, too. It removes the
// working directory from the path, where a file may be called json.py.
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

// newPython asks a Python to describe itself.
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

// series returns the version that decides which wheels fit.
func (p python) series() string { return fmt.Sprintf("%d.%d", p.Version[0], p.Version[1]) }

func (p python) tooOld() bool {
	return p.Version[0] < 3 || p.Version[0] == 3 && p.Version[1] < oldestPython
}

func (p python) tooNew() bool {
	return p.Version[0] > 3 || p.Version[0] == 3 && p.Version[1] > newestPython
}

// inEnvironment returns the Python of a virtual or conda environment, or "".
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

// ofScript returns the Python that runs a script made by pip. Its path is in the first line or, if it is too long or has a
// space, in the second, which is for a shell. On Windows it is beside the script, or in the folder above.
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

// inPath returns a program in PATH, or "". A program in the working directory does not count.
func inPath(name string) string {
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return program
}

// programOf returns the absolute path of a program that the user named.
func programOf(name string) (string, error) {
	program, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(program)
}

// lastLine returns the last line of a text that is not blank.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
