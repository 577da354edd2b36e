// Package clients writes how nbduet is started into the configurations of AI clients, prints it, takes it out again, and
// tells which clients a machine has.
//
// A client's file is the person's own. What is not nbduet's entry stays as it is to the byte: comments, order, indentation,
// line ends. So no file is decoded and written anew: JSON is edited by a syntax tree that has comments and white space
// (jsonedit.go), in TOML the entry's lines are replaced (toml.go), and the outcome is read once more, to see that nothing but
// the entry has changed (format.go). A file is replaced as a whole, with a backup beside it, and only if it was not written
// meanwhile (file.go).
//
// The clients' own commands are not used: claude mcp add replaces an entry with all that a person added to it, and codex mcp
// add writes all servers anew, without their comments and without the keys that it does not know.
//
// No token is written into a client's file: those are shown, copied and committed. The entry names a file that only its
// owner can read (token.go).
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
	program     string // what it is called in PATH, if it has a program there
	format      format
	file        func(Machine) string // where it reads its configuration
	signs       func(Machine) []string
	next        string // what a person does for it to be read
}

var clients = []client{
	{
		name: "claude-desktop", title: "Claude Desktop", format: jsonFile{key: "mcpServers"},
		file: claudeDesktop, signs: folder(claudeDesktop), next: "restart Claude Desktop",
	},
	{
		name: "claude-code", title: "Claude Code", program: "claude", format: jsonFile{key: "mcpServers", typed: true},
		file: claudeCode, signs: claudeSigns, next: "start claude anew, where /mcp shows it",
	},
	{
		name: "cursor", title: "Cursor", program: "cursor", format: jsonFile{key: "mcpServers"},
		file: cursor, signs: folder(cursor), next: "switch it on in Cursor's settings, under MCP",
	},
	{
		name: "vscode", title: "VS Code", program: "code", format: jsonFile{key: "servers", typed: true},
		file: vscode, signs: folder(vscode), next: "start it in VS Code, by the command MCP: List Servers",
	},
	{
		name: "jupyter-ai", title: "Jupyter AI", format: jsonFile{key: "mcp_servers", list: true},
		file: jupyterAI, signs: jupyterAISigns, next: "restart JupyterLab; it reads this file for chats below its folder, if that is below JupyterLab's own (--file=FOLDER/.jupyter/mcp_settings.json is for another)",
	},
	{
		name: "codex", title: "Codex", program: "codex", format: tomlTable{key: "mcp_servers"},
		file: codex, signs: folder(codex), next: "start codex anew, where /mcp shows it",
	},
	{
		name: "gemini", title: "Gemini CLI", program: "gemini", format: jsonFile{key: "mcpServers"},
		file: gemini, signs: folder(gemini), next: "start gemini anew, in a folder that it trusts, where /mcp shows it",
	},
	{
		name: "zed", title: "Zed", program: "zed", format: jsonFile{key: "context_servers"},
		file: zed, signs: folder(zed), next: "look for it in the settings of Zed's agent panel",
	},
	{
		name: "windsurf", title: "Windsurf", program: "windsurf", format: jsonFile{key: "mcpServers"},
		file: windsurf, signs: folder(windsurf), next: "press Refresh in Windsurf's MCP settings",
	},
}

func names() []string {
	return lo.Map(clients, func(c client, _ int) string { return c.name })
}

// find is the client that the arguments name.
func find(args []string) (client, error) {
	known := strings.Join(names(), ", ")
	switch len(args) {
	case 0:
		return client{}, options.UsageError{Err: fmt.Errorf("config: for which client? One of %s; --list says which are on this machine", known)}
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
