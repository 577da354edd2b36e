package jupyter

import (
	"os"
	"path/filepath"
	"runtime"
)

// DefaultRuntimeDirs returns the folders of the runtime files of this user's Jupyter servers: if JUPYTER_RUNTIME_DIR
// is set, only that one, else "runtime" below JUPYTER_DATA_DIR or below the platform's data folder (jupyter_core's
// rules).
func DefaultRuntimeDirs() []string { return runtimeDirs(runtime.GOOS, os.Getenv, os.UserHomeDir) }

func runtimeDirs(goos string, env func(string) string, home func() (string, error)) []string {
	if d := env("JUPYTER_RUNTIME_DIR"); d != "" {
		return []string{d}
	}
	if d := env("JUPYTER_DATA_DIR"); d != "" {
		return []string{filepath.Join(d, "runtime")}
	}
	h, err := home()
	if err != nil {
		h = "" // then only the variables can help
	}
	var data string
	switch {
	case goos == "windows" && env("APPDATA") != "":
		data = filepath.Join(env("APPDATA"), "jupyter")
	case goos != "windows" && goos != "darwin" && env("XDG_DATA_HOME") != "":
		data = filepath.Join(env("XDG_DATA_HOME"), "jupyter")
	case h == "":
		return nil
	case goos == "darwin":
		data = filepath.Join(h, "Library", "Jupyter")
	case goos == "windows":
		data = filepath.Join(h, ".jupyter", "data")
	default:
		data = filepath.Join(h, ".local", "share", "jupyter")
	}
	return []string{filepath.Join(data, "runtime")}
}
