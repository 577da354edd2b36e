package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// phrases are expressions that plain technical English does without, by the name of each. CONTRIBUTING.md says what to write
// in their place.
var phrases = map[string]*regexp.Regexp{
	"tells whether":    regexp.MustCompile(`(?i)\b(?:tell|tells|telling) whether\b`),
	"whoever":          regexp.MustCompile(`(?i)\bwho(?:m)?ever\b`),
	"told of":          regexp.MustCompile(`(?i)\b(?:told|tell|tells|telling) of\b`),
	"hears of":         regexp.MustCompile(`(?i)\b(?:hear|hears|heard|know|knows|knew|known) of\b`),
	"is none":          regexp.MustCompile(`(?i)\b(?:is|are|was|were) none\b`),
	"is no":            regexp.MustCompile(`(?i)\b(?:is|are|was|were) no [a-km-z]`), // "is no longer" is plain
	"nobody, somebody": regexp.MustCompile(`(?i)\b(?:no|some|any)body\b`),
	"what as a noun": regexp.MustCompile(`(?m)\b(?:of|for|with|in|to|from|by|on|at|than|as|and|into|over|about|but|all|only|that|` +
		`has|have|is|are|does|do|gets?|takes?|knows?|keeps?|holds?|sees?|finds?|reads?|writes?|sends?|gives?|returns?|makes?|shows?) what\b|(?:^|[.:;(] )[Ww]hat\b`),
	"those who": regexp.MustCompile(`(?i)\bthose (?:who|which|that)\b|\bthat which\b|\b(?:ones?|he|she) who\b|\bthe ones? (?:that|which)\b`),
	"of ours":   regexp.MustCompile(`(?i)\bof (?:ours|theirs|(?:its|their|your|his) own|nbduet's)\b`),
}

// checkProse compares the number of each phrase below a folder with those in a file.
func checkProse(out io.Writer, root, file string) error {
	found, err := countPhrases(root)
	if err != nil {
		return err
	}
	return checkCounts(out, file, found, "times", "say it in plain English")
}

// countPhrases counts the phrases in comments, strings and Markdown below a folder: those of tests under "tests", the others
// under "program".
func countPhrases(root string) (map[string]int, error) {
	found := map[string]int{}
	err := eachFile(root, func(path string) error {
		texts := map[string]func(string) ([]string, error){".go": goTexts, ".md": markdownTexts}[filepath.Ext(path)]
		if texts == nil {
			return nil
		}
		in, err := texts(path)
		if err != nil {
			return err
		}
		of := "program "
		if ofTests(filepath.ToSlash(strings.TrimPrefix(path, root))) {
			of = "tests "
		}
		for _, text := range in {
			for name, phrase := range phrases {
				if n := len(phrase.FindAllString(text, -1)); n > 0 {
					found[of+name] += n
				}
			}
		}
		return nil
	})
	return found, err
}

func ofTests(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.HasPrefix(strings.TrimPrefix(path, "/"), "e2e/") ||
		strings.HasSuffix(path, ".go") && strings.Contains(path, "test/")
}

// goTexts returns the comments of a Go file, without directives, and its strings.
func goTexts(path string) (texts []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, c := range file.Comments {
		texts = append(texts, strings.ReplaceAll(c.Text(), "\n", " "))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value) // the parser has checked it
			texts = append(texts, text)
		}
		return true
	})
	return texts, nil
}

// markdownTexts returns the text of a Markdown file without its code blocks.
func markdownTexts(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	return []string{codeBlock.ReplaceAllString(string(text), "")}, err
}

var codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
