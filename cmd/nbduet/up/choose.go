package up

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// The oldest versions that clients can work with. Older versions of jupyter-collaboration use another room protocol.
const (
	oldestLab, oldestLabMinor = 4, 4
	oldestCollab              = 4
)

// jupyter returns the Python whose JupyterLab will be started.
func (j job) jupyter(ctx context.Context) (string, error) {
	var why string
	for _, program := range j.candidates() {
		p, err := newPython(ctx, program)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			if j.Python != "" {
				return "", usage("--python: %w", err)
			}
			continue
		}
		wrong := unfit(p)
		if wrong == "" && p.Lab != "" {
			j.errs.Good("JupyterLab %s of %s", p.Lab, p.Prefix)
			return p.Program, nil
		}
		why = cmp.Or(why, wrong)
	}
	if why != "" {
		j.errs.Note("%s; using nbduet's own environment", why)
	}
	m := maker{errs: j.errs, data: j.machine.Data, log: filepath.Join(j.machine.State, "up-install.log"), uv: inPath("uv"), named: j.Python}
	return m.environment(ctx)
}

// candidates returns the Pythons that may have a JupyterLab, the nearest first.
func (j job) candidates() []string {
	if j.Own {
		return nil
	}
	if j.Python != "" {
		return []string{j.Python}
	}
	all := []string{
		inEnvironment(j.machine.Env("VIRTUAL_ENV")), inEnvironment(j.machine.Env("CONDA_PREFIX")),
		inEnvironment(filepath.Join(j.folder, ".venv")),
	}
	if script := inPath("jupyter"); script != "" {
		all = append(all, ofScript(script))
	}
	all = append(all, inPath("python3"), inPath("python"))
	return lo.Uniq(lo.Compact(all))
}

// unfit says why clients cannot work with a Python's JupyterLab, if it has one.
func unfit(p python) string {
	switch {
	case p.Lab == "":
		return ""
	case !atLeast(p.Lab, oldestLab, oldestLabMinor):
		return fmt.Sprintf("the JupyterLab in %s is version %s, and clients need %d.%d or later", p.Prefix, p.Lab, oldestLab, oldestLabMinor)
	case p.Collab == "":
		return fmt.Sprintf("the JupyterLab in %s has no jupyter-collaboration (%s -m pip install jupyter-collaboration)", p.Prefix, console.Typed(runtime.GOOS, p.Program))
	case !atLeast(p.Collab, oldestCollab, 0):
		return fmt.Sprintf("the jupyter-collaboration in %s is version %s, and clients need %d or later", p.Prefix, p.Collab, oldestCollab)
	}
	return ""
}

// atLeast reports whether a version such as 4.6.0rc1 is major.minor or later, and false if it cannot be read.
func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	a, err := strconv.Atoi(parts[0])
	if err != nil {
		return false
	}
	b := 0
	if len(parts) > 1 {
		b, _ = strconv.Atoi(parts[1]) // 0 for versions such as 4.0rc1
	}
	return a > major || a == major && b >= minor
}
