package presence

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// unnamed is the name of who says nothing of itself.
const unnamed = "AI Agent"

// maxName is how many characters of a name that a client gives itself are shown.
const maxName = 40

// wellKnown are short names of clients, by what the names begin with that they give themselves: a whole word each.
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

// nameOf is what somebody is called who says this of itself.
func nameOf(s Self) string {
	if p := persona(s.Persona); p != "" {
		return called(p)
	}
	if known := short(clean(s.Name)); known != "" {
		return known
	}
	return called(clean(cmp.Or(clean(s.Title), s.Name)))
}

// called is the short name of who is well known, and of others their own, marked.
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

// short is the short name of who is well known, "" of others.
func short(name string) string {
	name = strings.ToLower(name)
	for _, k := range wellKnown {
		if rest, begins := strings.CutPrefix(name, k.begins); begins && (rest == "" || !unicode.IsLetter([]rune(rest)[0])) {
			return k.name
		}
	}
	return ""
}

// persona is the name in a persona's id: "package::module::ClaudeAcpPersona" is called Claude.
func persona(id string) string {
	name := id[strings.LastIndex(id, ":")+1:]
	for _, tail := range []string{"Persona", "Acp"} {
		if head, ok := strings.CutSuffix(name, tail); ok && head != "" {
			name = head
		}
	}
	return clean(name)
}

// clean takes out of a name what is not to be seen or could turn what is, and cuts it.
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

// compared is a name as it is held against others.
func compared(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, name)), " "))
}
