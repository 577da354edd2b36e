package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/lab"
)

// Version is the version of the wheels, which are built as for a release.
const Version = "0.1.0"

// Installation is a Python with the wheels installed.
type Installation struct {
	// Python is its interpreter, Packages the folder of its packages.
	Python, Packages string
	// Env points the server to JupyterLab's own files, which are in .venv.
	Env []string
	// Wheel is the file of the installed extension, and Program the program from its wheel.
	Wheel, Program string
}

// Command is the command that starts JupyterLab there.
func (in Installation) Command() []string { return []string{in.Python, "-m", "jupyterlab"} }

// Install builds the wheels of the program and of the extension and installs them below a folder that has neither, as
// the program's extra for Jupyter. The error says what is missing, or has the output of the command that failed.
func Install(dir string) (in Installation, err error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return in, err
	}
	beside := os.Getenv("NBDUET_EXTENSION")
	if beside == "" {
		beside = filepath.Join(root, ".cache", "extension")
	}
	if _, err := os.Stat(filepath.Join(beside, "aiohttp")); err != nil {
		return in, fmt.Errorf("no aiohttp: run `make extension`, or name its folder with NBDUET_EXTENSION: %w", err)
	}
	python, err := child.Python(root)
	if err != nil {
		return in, err
	}
	var failed error
	run := func(name string, args ...string) string {
		if failed != nil {
			return ""
		}
		var out, log bytes.Buffer
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "VERSION="+Version)
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err != nil {
			failed = fmt.Errorf("install the extension: %s %q: %w\n%s%s", name, args, err, out.Bytes(), log.Bytes())
		}
		return strings.TrimSpace(out.String())
	}
	const where = "import json, sys, sysconfig; print(json.dumps([sys.prefix, sysconfig.get_path('purelib')]))"
	folder := filepath.Join(dir, "extension")
	in.Python, in.Program = filepath.Join(folder, "bin", "python"), filepath.Join(folder, "bin", "nbduet")
	made := strings.Fields(run(filepath.Join(root, "packaging", "python", "wheels.sh"), filepath.Join(dir, "wheel")))
	run(python, "-m", "venv", "--without-pip", folder)
	theirs, theirErr := pair(run(python, "-c", where))
	ours, ourErr := pair(run(in.Python, "-c", where))
	if failed = errors.Join(failed, theirErr, ourErr); failed != nil {
		return in, failed
	}
	if len(made) != 2 {
		return in, fmt.Errorf("install the extension: made %q, not two wheels", made)
	}
	in.Packages, in.Wheel = ours[1], made[1]
	if err := os.WriteFile(filepath.Join(in.Packages, "beside.pth"), []byte(beside+"\n"+theirs[1]+"\n"), 0o600); err != nil {
		return in, fmt.Errorf("install the extension: %w", err)
	}
	run(python, "-m", "pip", "--python", in.Python, "install", "--disable-pip-version-check", "--no-input", "--no-index",
		"--find-links", filepath.Dir(in.Wheel), "nbduet[jupyter]=="+Version)
	in.Env = []string{
		"JUPYTER_PATH=" + filepath.Join(theirs[0], "share", "jupyter"),
		"JUPYTER_CONFIG_PATH=" + filepath.Join(theirs[0], "etc", "jupyter"),
		"JUPYTERLAB_DIR=" + filepath.Join(theirs[0], "share", "jupyter", "lab"),
	}
	return in, failed
}

// pair decodes the two folders that a Python has printed.
func pair(text string) (folders [2]string, err error) {
	if text == "" {
		return folders, nil // the previous call failed
	}
	if err := json.Unmarshal([]byte(text), &folders); err != nil {
		return folders, fmt.Errorf("install the extension: the folders of a Python: %w: %q", err, text)
	}
	return folders, nil
}
