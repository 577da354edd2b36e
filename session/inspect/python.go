package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

//go:embed python/*.py
var pythonFiles embed.FS

// pythonSources are the sources of each kind of inspection; each ends with the function inspect.
var pythonSources = map[string]string{
	askList:   sourceOf(pythonFiles, "python/common.py", "python/list.py"),
	askDetail: sourceOf(pythonFiles, "python/common.py", "python/path.py", "python/table.py", "python/detail.py"),
	askFrame:  sourceOf(pythonFiles, "python/common.py", "python/path.py", "python/table.py", "python/frame.py"),

	askPreview: sourceOf(pythonFiles, "python/common.py", "python/table.py", "python/preview.py", "python/preview_text.py", "python/preview_other.py"),
}

// sourceOf is the text of some files, without the lines that are comments.
func sourceOf(files embed.FS, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic("inspect: " + err.Error()) // it is embedded
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") { // comments need not travel
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

// pythonInspection asks IPython.
func pythonInspection(ctx context.Context, k Kernel, kind string, question map[string]any) (json.RawMessage, error) {
	expression, err := pythonExpression(kind, question)
	if err != nil {
		return nil, err
	}
	replies, err := k.Evaluate(ctx, "", map[string]string{"inspect": expression})
	if err != nil {
		return nil, err
	}
	return pythonAnswer(replies["inspect"])
}

// pythonMIME is the type under which the answer is shown, of our own so that no formatter of the user's makes it.
const pythonMIME = "application/vnd.nbduet.inspection+json"

// pythonExpression is one expression whose value, as IPython shows it, is the answer. It uses no name of the user's
// namespace but __import__. A SimpleNamespace is no class of ours, which would be garbage that only a collector frees.
func pythonExpression(kind string, question any) (string, error) {
	q, err := json.Marshal(question)
	if err != nil {
		return "", fmt.Errorf("write the question: %w", err)
	}
	const run = `
def answer(text):
    from types import SimpleNamespace
    return SimpleNamespace(_repr_mimebundle_=lambda include=None, exclude=None: {"` + pythonMIME + `": text})
answer = answer(run(inspect, json.loads(question)))
`
	return "(lambda own: (__import__('builtins').exec(own['source'], own), own.pop('answer'), own.clear())[1])" +
		"({'source': " + pythonString(pythonSources[kind]+run) + ", 'question': " + pythonString(string(q)) + "})", nil
}

// pythonString is a Python string literal. Go's escapes in ASCII are Python's too; invalid UTF-8, of which the escape
// would be another character there, is replaced before.
func pythonString(s string) string {
	return strconv.QuoteToASCII(strings.ToValidUTF8(s, "\uFFFD"))
}

// pythonAnswer takes the answer out of the kernel's answer for the expression.
func pythonAnswer(v any) (json.RawMessage, error) {
	text, err := shown(v, pythonMIME)
	if err == nil && !json.Valid([]byte(text)) {
		err = errors.New("the kernel's answer to the inspection is of an unknown form: it may not be an IPython kernel")
	}
	return json.RawMessage(text), err
}

// shown is how a kernel shows an expression's value as a type, "" where it does not.
func shown(reply any, mime string) (string, error) {
	m, _ := reply.(map[string]any)
	if m["status"] != "ok" {
		return "", fmt.Errorf("the kernel refuses the inspection: %v: %v", m["ename"], m["evalue"])
	}
	data, _ := m["data"].(map[string]any)
	text, _ := data[mime].(string)
	return text, nil
}
