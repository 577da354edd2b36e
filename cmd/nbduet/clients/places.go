package clients

import (
	"os"
	"path/filepath"
)

// Machine describes the machine, so that tests can replace it.
type Machine struct {
	GOOS    string
	Env     func(string) string
	Home    string                       // the user's
	Program string                       // this program, from os.Executable
	Data    string                       // the folder of nbduet's data, in the user's data folder
	Look    func(string) (string, error) // exec.LookPath
	// Published reports whether package registries have a release of nbduet that uvx and npx can start.
	Published bool
}

// dir returns the folder that a variable names, or the given default.
func (m Machine) dir(variable string, otherwise ...string) string {
	if at := m.Env(variable); filepath.IsAbs(at) {
		return at
	}
	return filepath.Join(append([]string{m.Home}, otherwise...)...)
}

// config returns the folder of the settings of programs with windows.
func (m Machine) config() string {
	switch m.GOOS {
	case "windows":
		return m.dir("APPDATA", "AppData", "Roaming")
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	}
	return m.dir("XDG_CONFIG_HOME", ".config")
}

// local returns the Windows folder for data that stays on the machine.
func (m Machine) local() string { return m.dir("LOCALAPPDATA", "AppData", "Local") }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// in returns the place of a file in a folder that a variable names, or in the given folder of the user's.
func in(variable, otherwise, file string) func(Machine) string {
	return func(m Machine) string { return filepath.Join(m.dir(variable, otherwise), file) }
}

func claudeDesktop(m Machine) string {
	const file = "claude_desktop_config.json"
	// The version from the Windows store sees its own folder in place of the usual one.
	if store := filepath.Join(m.local(), "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude"); m.GOOS == "windows" && exists(store) {
		return filepath.Join(store, file)
	}
	return filepath.Join(m.config(), "Claude", file)
}

func claudeCode(m Machine) string {
	// The first versions had the file here, and later ones still read it if it exists.
	if old := filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), ".config.json"); exists(old) {
		return old
	}
	return filepath.Join(m.dir("CLAUDE_CONFIG_DIR"), ".claude.json")
}

func claudeSigns(m Machine) []string {
	return []string{claudeCode(m), m.dir("CLAUDE_CONFIG_DIR", ".claude")}
}

// SkillFolders returns the folders in which clients look for the user's skills: one that many share, and Claude Code's if it
// is installed, because other programs would take a new folder as a sign of it.
func SkillFolders(m Machine) ([]string, error) {
	if m.Home == "" {
		return nil, errNoHome
	}
	folders := []string{filepath.Join(m.Home, ".agents", "skills")}
	if claude, err := find([]string{"claude-code"}); err == nil && present(claude, m) {
		folders = append(folders, filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), "skills"))
	}
	return folders, nil
}

func vscode(m Machine) string {
	for _, kind := range []string{"Code", "Code - Insiders", "VSCodium"} {
		if user := filepath.Join(m.config(), kind, "User"); exists(user) {
			return filepath.Join(user, "mcp.json")
		}
	}
	return filepath.Join(m.config(), "Code", "User", "mcp.json")
}

// jupyterAI reads the first .jupyter from a chat's folder upwards, to JupyterLab's root folder.
func jupyterAI(m Machine) string { return filepath.Join(m.Home, ".jupyter", "mcp_settings.json") }

// jupyterAISigns leaves the folder out, because every Jupyter installation has it.
func jupyterAISigns(m Machine) []string { return []string{jupyterAI(m)} }

func gemini(m Machine) string {
	return filepath.Join(m.dir("GEMINI_CLI_HOME"), ".gemini", "settings.json")
}

func zed(m Machine) string {
	at := m.dir("XDG_CONFIG_HOME", ".config")
	switch m.GOOS {
	case "windows":
		return filepath.Join(m.config(), "Zed", "settings.json")
	case "darwin":
		at = filepath.Join(m.Home, ".config")
	}
	return filepath.Join(at, "zed", "settings.json")
}
