package tools

import (
	"slices"

	"github.com/nbduet/nbduet/tools/tool"
)

// inWords are the toolsets whose tools answer in words.
var inWords = []string{tool.ToolsetCore, tool.ToolsetPair, tool.ToolsetRuns}

// Answers says how the tools of the sets "core", "pair" and "runs" answer. All other tools answer with the JSON or the texts
// of their contracts.
type Answers string

// The values of Answers.
const (
	// TextAnswers are words: cells and outputs verbatim, each under a head line. They cost a model the fewest tokens.
	TextAnswers Answers = "text"
	// JSONAnswers are the objects of the tools' contracts.
	JSONAnswers Answers = "json"
)

// AnswersWords are the values of Answers.
func AnswersWords() []string { return []string{string(TextAnswers), string(JSONAnswers)} }

// answersOf returns how a server answers: as configured, else in JSON if a program may parse the answers, because the tools
// of another server's contract or the schemas of all results were chosen.
func answersOf(cfg Config) Answers {
	ours := func(set string) bool { return slices.Contains(inWords, set) }
	switch {
	case cfg.Answers != "":
		return cfg.Answers
	case cfg.OutputSchemas == FullOutputs || slices.ContainsFunc(cfg.Toolsets, func(set string) bool { return !ours(set) }):
		return JSONAnswers
	}
	return TextAnswers
}

// speaks reports whether a tool answers in words.
func (o *offer) speaks(t tool.Tool) bool {
	return o.answers == TextAnswers && slices.ContainsFunc(inWords, t.In)
}
