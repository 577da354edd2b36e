package inspect

import (
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
	askList:   pythonSource("common", "list"),
	askDetail: pythonSource("common", "path", "table", "detail"),
	askFrame:  pythonSource("common", "path", "table", "frame"),

	askPreview: pythonSource("common", "table", "preview", "preview_text", "preview_other"),
}

func pythonSource(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := pythonFiles.ReadFile("python/" + name + ".py")
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

// pythonAnswer takes the answer out of what the kernel says of the expression.
func pythonAnswer(v any) (json.RawMessage, error) {
	m, _ := v.(map[string]any)
	if m["status"] != "ok" {
		return nil, fmt.Errorf("the kernel refuses the inspection: %v: %v", m["ename"], m["evalue"])
	}
	data, _ := m["data"].(map[string]any)
	text, ok := data[pythonMIME].(string)
	if !ok || !json.Valid([]byte(text)) {
		return nil, errors.New("the kernel answers the inspection with something else: it may not be an IPython kernel")
	}
	return json.RawMessage(text), nil
}
