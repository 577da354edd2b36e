package inspect_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// juliaKernel is a kernel for Julia in which no code may run.
type juliaKernel struct{ t *testing.T }

func (k juliaKernel) Evaluate(context.Context, string, map[string]string) (map[string]any, error) {
	k.t.Error("code is run in the kernel")
	return nil, errors.New("code is run")
}
func (juliaKernel) Status(context.Context) string            { return "idle" }
func (juliaKernel) Language(context.Context) (string, error) { return "julia", nil }

// A language that cannot show values without running their code reports that.
func TestQuietRefusal(t *testing.T) {
	quiet := inspect.TableOptions{Quiet: true}
	_, detail := inspect.Value(t.Context(), juliaKernel{t}, "x", inspect.DetailOptions{Table: quiet})
	_, frame := inspect.DataFrame(t.Context(), juliaKernel{t}, "x", quiet)
	for _, err := range []error{detail, frame} {
		var refusal *inspect.Refusal
		must.True(t, errors.As(err, &refusal))
		test.Eq(t, inspect.NotReadable, refusal.Code)
		test.StrContains(t, err.Error(), "--read-only")
	}
}
