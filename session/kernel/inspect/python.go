package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

//go:embed python/*.py
var pythonFiles embed.FS

// pythonSources are the sources of each kind of inspection; each ends with the function inspect.
var pythonSources = map[string]string{
	askList:   userexpr.Source(pythonFiles, "python/common.py", "python/list.py"),
	askDetail: userexpr.Source(pythonFiles, "python/common.py", "python/path.py", "python/table.py", "python/detail.py"),
	askFrame:  userexpr.Source(pythonFiles, "python/common.py", "python/path.py", "python/table.py", "python/frame.py"),

	askPreview: userexpr.Source(pythonFiles, "python/common.py", "python/table.py", "python/preview.py", "python/preview_count.py", "python/preview_text.py", "python/preview_other.py"),
}

// pythonInspection queries IPython.
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

// pythonMIME is the MIME type of the answer, our own so that no user formatter applies.
const pythonMIME = "application/vnd.nbduet.inspection+json"

// pythonExpression returns one expression whose value, as IPython shows it, is the answer. The only name that it uses from
// the user's namespace is __import__. It uses SimpleNamespace because a new class would be garbage that only a collector
// frees.
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
	return userexpr.Python(pythonSources[kind]+run, map[string]string{"question": string(q)}), nil
}

// pythonAnswer extracts the answer from the kernel's reply for the expression.
func pythonAnswer(v any) (json.RawMessage, error) {
	text, err := shown(v, pythonMIME)
	if err == nil && !json.Valid([]byte(text)) {
		err = errors.New("the kernel's inspection result has an unknown form: it may not be an IPython kernel")
	}
	return json.RawMessage(text), err
}

// shown returns the MIME representation of an expression's value from the kernel's reply, "" if missing.
func shown(reply any, mime string) (string, error) {
	text, err := userexpr.Shown(reply, mime)
	if err != nil {
		err = fmt.Errorf("the kernel rejects the inspection: %w", err)
	}
	return text, err
}
