package tools

import (
	"slices"

	"github.com/nbduet/nbduet/tools/tool"
)

// inWords are the toolsets whose tools answer in words.
var inWords = []string{tool.ToolsetCore, tool.ToolsetPair, tool.ToolsetRuns}

// Answers says how the tools of the sets "core", "pair" and "runs" answer. The others answer with the JSON or the texts of their
// contracts.
type Answers string

// The values of Answers.
const (
	// TextAnswers are words: cells and outputs as they stand, each under a head line. They cost a model least.
	TextAnswers Answers = "text"
	// JSONAnswers are the objects of the tools' contracts.
	JSONAnswers Answers = "json"
)

// AnswersWords are the values of Answers.
func AnswersWords() []string { return []string{string(TextAnswers), string(JSONAnswers)} }

// answersOf is how a server answers: as it is told, else in JSON where a program may parse what it gets, because the tools
// of another server's contract were chosen, or the schemas of all results.
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
