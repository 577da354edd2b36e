// Package skills has what an agent should know of the work in a notebook that people have open, as a skill: a Markdown file
// with a head, which clients show their models when it is needed.
package skills

import (
	_ "embed"
	"strings"
)

// File is the skill's path below a folder of skills.
const File = "nbduet/SKILL.md"

// Notebook is the skill, as it stands in the repository.
//
//go:embed nbduet/SKILL.md
var Notebook string

// Text is the skill without its head, for those who want it now.
func Text() string {
	_, rest, _ := strings.Cut(Notebook, "\n---\n")
	return strings.TrimSpace(rest)
}
