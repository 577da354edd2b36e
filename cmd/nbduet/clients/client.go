// Package clients prints how an AI client starts nbduet, adds that to the client's configuration, removes it, and lists the
// clients on a machine.
//
// A client's file belongs to the person. Everything except nbduet's entry stays identical to the byte: comments, order,
// indentation, line ends. No file is therefore decoded and rewritten: JSON is edited through a syntax tree that has comments
// and white space (jsonedit.go), in TOML the entry's lines are replaced (toml.go), and the result is read again to verify
// that only the entry has changed (format.go). A file is replaced as a whole, with a backup beside it, and only if it was
// not written meanwhile (file.go).
//
// The clients' own commands are not used: claude mcp add replaces an entry with everything that a person added to it, and
// codex mcp add rewrites all servers, without their comments and without keys that it does not know.
//
// No token is written into a client's file, because such files are shown, copied and committed. The entry names a file that
// only its owner can read (token.go).
package clients

import (
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// A client is an AI client that starts MCP servers.
type client struct {
	name, title string
	program     string // its name in PATH, if it has a program there
	format      format
	file        func(Machine) string   // path of its configuration file
	signs       func(Machine) []string // files that show that it is there; nil: the folder of its file, which it makes itself
	next        string                 // the step after which the client reads it
}

var clients = []client{
	{
		name: "claude-desktop", title: "Claude Desktop", format: jsonFile{key: "mcpServers"},
		file: claudeDesktop, next: "restart Claude Desktop",
	},
	{
		name: "claude-code", title: "Claude Code", program: "claude", format: jsonFile{key: "mcpServers", typed: "stdio", more: map[string]string{"alwaysLoad": "true"}},
		file: claudeCode, signs: claudeSigns, next: "start claude again; /mcp shows it",
	},
	{
		name: "cursor", title: "Cursor", program: "cursor", format: jsonFile{key: "mcpServers"},
		file: in("", ".cursor", "mcp.json"), next: "turn it on in Cursor's settings, under MCP",
	},
	{
		name: "vscode", title: "VS Code", program: "code", format: jsonFile{key: "servers", typed: "stdio"},
		file: vscode, next: "start it in VS Code, by the command MCP: List Servers",
	},
	{
		name: "jupyter-ai", title: "Jupyter AI", format: jsonFile{key: "mcp_servers", list: true},
		file: jupyterAI, signs: jupyterAISigns, next: "restart JupyterLab; the file applies to chats in its folder, if that is inside JupyterLab's (--file=FOLDER/.jupyter/mcp_settings.json for another)",
	},
	{
		name: "codex", title: "Codex", program: "codex", format: tomlTable{key: "mcp_servers"},
		file: in("CODEX_HOME", ".codex", "config.toml"), next: "start codex again; /mcp shows it",
	},
	{
		name: "gemini", title: "Gemini CLI", program: "gemini", format: jsonFile{key: "mcpServers"},
		file: gemini, next: "start gemini again in a folder that it trusts; /mcp shows it",
	},
	{
		name: "copilot", title: "Copilot CLI", program: "copilot",
		format: jsonFile{key: "mcpServers", typed: "local", more: map[string]string{"tools": `["*"]`, "deferTools": `"never"`}},
		file:   in("COPILOT_HOME", ".copilot", "mcp-config.json"), next: "start copilot again; /mcp show lists it",
	},
	{
		name: "zed", title: "Zed", program: "zed", format: jsonFile{key: "context_servers"},
		file: zed, next: "look for it in the settings of Zed's agent panel",
	},
	{
		name: "windsurf", title: "Windsurf", program: "windsurf", format: jsonFile{key: "mcpServers"},
		file: in("", ".codeium/windsurf", "mcp_config.json"), next: "press Refresh in Windsurf's MCP settings",
	},
}

func names() []string {
	return lo.Map(clients, func(c client, _ int) string { return c.name })
}

// find returns the client that the arguments name.
func find(args []string) (client, error) {
	known := strings.Join(names(), ", ")
	switch len(args) {
	case 0:
		return client{}, options.UsageError{Err: fmt.Errorf("config: name a client, one of %s; --list shows those on this machine", known)}
	case 1:
		for _, c := range clients {
			if c.name == strings.ToLower(args[0]) {
				return c, nil
			}
		}
		return client{}, options.UsageError{Err: fmt.Errorf("config: unknown client %q%s; the clients are %s", args[0], options.Meant(args[0], names()), known)}
	}
	return client{}, options.UsageError{Err: fmt.Errorf("config: unexpected argument %s: one client at a time", args[1])}
}
