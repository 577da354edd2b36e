package clients

import (
	"os"
	"path/filepath"
)

// Machine is what is asked of the machine, so that tests can say it.
type Machine struct {
	GOOS    string
	Env     func(string) string
	Home    string                       // the user's
	Program string                       // this program, as os.Executable tells
	Data    string                       // the folder of nbduet's own data, below the user's
	Look    func(string) (string, error) // exec.LookPath
	// Published reports whether package registries have a release of nbduet, for uvx and npx to start.
	Published bool
}

// dir is the folder that a variable names, or another.
func (m Machine) dir(variable string, otherwise ...string) string {
	if at := m.Env(variable); filepath.IsAbs(at) {
		return at
	}
	return filepath.Join(append([]string{m.Home}, otherwise...)...)
}

// config is where programs with windows keep their settings.
func (m Machine) config() string {
	switch m.GOOS {
	case "windows":
		return m.dir("APPDATA", "AppData", "Roaming")
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	}
	return m.dir("XDG_CONFIG_HOME", ".config")
}

// local is where Windows keeps what stays on the machine.
func (m Machine) local() string { return m.dir("LOCALAPPDATA", "AppData", "Local") }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// folder is the sign of a client that makes the folder of its file itself.
func folder(file func(Machine) string) func(Machine) []string {
	return func(m Machine) []string { return []string{filepath.Dir(file(m))} }
}

func claudeDesktop(m Machine) string {
	const file = "claude_desktop_config.json"
	// From the store of Windows, it sees a folder of its own in place of the usual one.
	if store := filepath.Join(m.local(), "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude"); m.GOOS == "windows" && exists(store) {
		return filepath.Join(store, file)
	}
	return filepath.Join(m.config(), "Claude", file)
}

func claudeCode(m Machine) string {
	// Its first versions had the file there, and where it is, it is still the one that is read.
	if old := filepath.Join(m.dir("CLAUDE_CONFIG_DIR", ".claude"), ".config.json"); exists(old) {
		return old
	}
	return filepath.Join(m.dir("CLAUDE_CONFIG_DIR"), ".claude.json")
}

func claudeSigns(m Machine) []string {
	return []string{claudeCode(m), m.dir("CLAUDE_CONFIG_DIR", ".claude")}
}

// SkillFolders are those in which clients look for the user's skills: one that many share, and Claude Code's if that is on
// the machine, since a folder of its own would have others take it for being there.
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

func cursor(m Machine) string { return filepath.Join(m.Home, ".cursor", "mcp.json") }

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

// The folder is no sign: everybody has it who has Jupyter.
func jupyterAISigns(m Machine) []string { return []string{jupyterAI(m)} }

func codex(m Machine) string { return filepath.Join(m.dir("CODEX_HOME", ".codex"), "config.toml") }

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

func windsurf(m Machine) string {
	return filepath.Join(m.Home, ".codeium", "windsurf", "mcp_config.json")
}
