package lab

import (
	"os"
	"path/filepath"
	"strings"
)

// CleanEnv returns the environment of this process without everything that could lead a Jupyter program, or nbduet, to
// the user's own servers, files and settings: no JUPYTER_*, no NBDUET_*, no PYTHON* path, no HOME. The caller adds the
// variables that the program needs.
func CleanEnv() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case strings.HasPrefix(name, "JUPYTER"), strings.HasPrefix(name, "NBDUET_"), strings.HasPrefix(name, "IPYTHON"):
		case strings.HasPrefix(name, "DOCUMENT_"), strings.HasPrefix(name, "RUNTIME_"):
		case name == "HOME", name == "PYTHONPATH", name == "PYTHONHOME", name == "PYTHONSTARTUP", name == "VIRTUAL_ENV":
		case name == "LOG_LEVEL", name == "MPLBACKEND", name == "MPLCONFIGDIR", strings.HasPrefix(name, "XDG_"):
		default:
			env = append(env, pair)
		}
	}
	return env
}

// serverEnv is the environment of the Jupyter server and so of its kernels. The token is here, not on the command line,
// which other users can read.
func (l layout) serverEnv(program, token, fontCache string) []string {
	env := CleanEnv()
	path := filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")
	env = append(env,
		"PATH="+path,
		"HOME="+l.home,
		"JUPYTER_TOKEN="+token,
		"PYTHONUNBUFFERED=1",
		// Only matplotlib's list of fonts is kept between servers: making it takes some seconds.
		"MPLCONFIGDIR="+fontCache,
	)
	return append(env, l.clientEnv()...)
}

// clientEnv points a Jupyter client to this server's folders.
func (l layout) clientEnv() []string {
	return []string{
		"JUPYTER_CONFIG_DIR=" + l.config,
		"JUPYTER_DATA_DIR=" + l.data,
		"JUPYTER_RUNTIME_DIR=" + l.runtime,
		"JUPYTERLAB_SETTINGS_DIR=" + l.settings,
		"JUPYTERLAB_WORKSPACES_DIR=" + l.workspaces,
		"IPYTHONDIR=" + l.ipython,
	}
}
