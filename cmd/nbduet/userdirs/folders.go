// Package userdirs returns the folders for the program's files: those of the XDG Base Directory specification or, on
// Windows, the local application data.
package userdirs

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"strings"
)

// name is the program's folder in each of them.
const name = "nbduet"

// A Machine has the inputs that determine the folders.
type Machine struct {
	GOOS string
	Env  func(string) string
	Home func() (string, error)
}

// Here returns this machine and the user who runs the program.
func Here() Machine { return Machine{runtime.GOOS, os.Getenv, os.UserHomeDir} }

// State returns the folder of data that the program remembers between runs, and Data that of files that it can make again.
// They have the system's separators and need not exist.
func (m Machine) State() (string, error) { return m.folder("XDG_STATE_HOME", ".local/state") }

// Data is described with State.
func (m Machine) Data() (string, error) { return m.folder("XDG_DATA_HOME", ".local/share") }

func (m Machine) folder(variable, below string) (string, error) {
	if dir := m.Env(variable); m.isAbs(dir) { // the specification ignores relative paths
		return m.joined(dir, name), nil
	}
	if dir := m.Env("LocalAppData"); m.GOOS == "windows" && m.isAbs(dir) {
		return m.joined(dir, name), nil
	}
	home, err := m.Home()
	if err != nil {
		return "", fmt.Errorf("find the home directory: %w", err)
	}
	if !m.isAbs(home) {
		return "", fmt.Errorf("the home directory %q is not an absolute path", home)
	}
	if m.GOOS == "windows" {
		below = "AppData/Local"
	}
	return m.joined(home, below+"/"+name), nil
}

// isAbs is filepath.IsAbs for the machine's system.
func (m Machine) isAbs(path string) bool {
	if m.GOOS != "windows" {
		return strings.HasPrefix(path, "/")
	}
	path = strings.ReplaceAll(path, "/", `\`)
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`
}

// joined is filepath.Join for the machine's system.
func (m Machine) joined(dir, below string) string {
	if m.GOOS != "windows" {
		return path.Join(dir, below)
	}
	return strings.TrimRight(strings.ReplaceAll(dir, "/", `\`), `\`) + `\` + strings.ReplaceAll(below, "/", `\`)
}
