package presence

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// unnamed is the name of a client that does not identify itself.
const unnamed = "AI Agent"

// maxName is the maximum length of a client's name for itself, in characters.
const maxName = 40

// wellKnown maps the first whole words of the names that clients send to short names.
var wellKnown = []struct{ begins, name string }{
	{"claude", "Claude"},
	{"cursor", "Cursor"},
	{"visual studio code", "VS Code"},
	{"vscode", "VS Code"},
	{"codex", "Codex"},
	{"chatgpt", "ChatGPT"},
	{"openai", "ChatGPT"},
	{"gemini", "Gemini"},
	{"zed", "Zed"},
	{"windsurf", "Windsurf"},
	{"goose", "Goose"},
	{"cline", "Cline"},
	{"roo", "Roo"},
	{"copilot", "Copilot"},
	{"github copilot", "Copilot"},
	{"jetbrains", "JetBrains"},
	{"opencode", "OpenCode"},
	{"kiro", "Kiro"},
	{"qwen", "Qwen"},
	{"jupyternaut", "Jupyternaut"},
}

// nameOf returns the name of a client that describes itself as s.
func nameOf(s Self) string {
	if p := persona(s.Persona); p != "" {
		return called(p)
	}
	if known := short(clean(s.Name)); known != "" {
		return known
	}
	return called(clean(cmp.Or(clean(s.Title), s.Name)))
}

// called returns the short name of a well-known client, and otherwise the name marked as an AI.
func called(name string) string {
	if known := short(name); known != "" {
		return known
	}
	switch {
	case name == "":
		return unnamed
	case strings.Contains(name, awareness.AIMark):
		return name
	}
	return name + " " + awareness.AIMark
}

// short returns the short name of a well-known client, otherwise "".
func short(name string) string {
	name = strings.ToLower(name)
	for _, k := range wellKnown {
		if rest, begins := strings.CutPrefix(name, k.begins); begins && (rest == "" || !unicode.IsLetter([]rune(rest)[0])) {
			return k.name
		}
	}
	return ""
}

// persona returns the name in a persona's id: Claude for "package::module::ClaudeAcpPersona".
func persona(id string) string {
	name := id[strings.LastIndex(id, ":")+1:]
	for _, tail := range []string{"Persona", "Acp"} {
		if head, ok := strings.CutSuffix(name, tail); ok && head != "" {
			name = head
		}
	}
	return clean(name)
}

// clean removes control and formatting characters, which are invisible or change the text direction, from a name, and cuts
// it.
func clean(name string) string {
	name = strings.Join(strings.FieldsFunc(name, unicode.IsSpace), " ")
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	return strings.TrimSpace(name)
}

// compared returns the form of a name that is used in comparisons.
func compared(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, name)), " "))
}
