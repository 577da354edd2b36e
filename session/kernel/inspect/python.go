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

	askPreview: userexpr.Source(pythonFiles, "python/common.py", "python/table.py", "python/preview.py", "python/preview_text.py", "python/preview_other.py"),
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
	return userexpr.Python(pythonSources[kind]+run, map[string]string{"question": string(q)}), nil
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
	text, err := userexpr.Shown(reply, mime)
	if err != nil {
		err = fmt.Errorf("the kernel refuses the inspection: %w", err)
	}
	return text, err
}
