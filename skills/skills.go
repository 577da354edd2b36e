// Package skills contains a skill for agents that work in notebooks that people have open: a Markdown file with a header,
// which clients show their models when they need it.
package skills

import (
	_ "embed"
	"strings"
)

// File is the skill's path below a folder of skills.
const File = "nbduet/SKILL.md"

// Notebook is the skill, as it is in the repository.
//
//go:embed nbduet/SKILL.md
var Notebook string

// Text returns the skill without its header, for clients that need it immediately.
func Text() string {
	_, rest, _ := strings.Cut(Notebook, "\n---\n")
	return strings.TrimSpace(rest)
}
