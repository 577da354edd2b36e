package inspect_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// A scripted kernel gives prepared answers.
type scripted struct {
	language, status string
	evaluate         func(context.Context) (map[string]any, error)
}

func (s scripted) Evaluate(ctx context.Context, _ string, _ map[string]string) (map[string]any, error) {
	return s.evaluate(ctx)
}
func (s scripted) Status(context.Context) string            { return s.status }
func (s scripted) Language(context.Context) (string, error) { return s.language, nil }

func TestOtherLanguages(t *testing.T) {
	for _, language := range []string{"octave", "bash", ""} {
		_, err := inspect.Variables(t.Context(), scripted{language: language}, inspect.ListOptions{})
		var e *inspect.LanguageError
		must.True(t, errors.As(err, &e))
		test.Eq(t, language, e.Language)
	}
}

func TestStrangeAnswers(t *testing.T) {
	for _, answer := range []map[string]any{
		nil,
		{"inspect": nil},
		{"inspect": map[string]any{"status": "error", "ename": "NameError", "evalue": "x"}},
		{"inspect": map[string]any{"status": "ok"}},
		{"inspect": map[string]any{"status": "ok", "data": map[string]any{"application/vnd.nbduet.inspection+json": "{"}}},
		{"inspect": map[string]any{"status": "ok", "data": map[string]any{"application/vnd.nbduet.inspection+json": "[1]"}}},
		{"inspect": map[string]any{"status": "ok", "data": map[string]any{"application/vnd.nbduet.inspection+json": `{"total": "x"}`}}},
	} {
		k := scripted{language: "python", evaluate: func(context.Context) (map[string]any, error) { return answer, nil }}
		if _, err := inspect.Variables(t.Context(), k, inspect.ListOptions{}); err == nil {
			t.Errorf("%v is taken", answer)
		}
		k.language = "julia"
		if _, err := inspect.Variables(t.Context(), k, inspect.ListOptions{}); err == nil {
			t.Errorf("%v is taken of Julia", answer)
		}
	}
}

// A kernel that does not answer is given up, and this differs from a cancelled caller.
func TestNoAnswer(t *testing.T) {
	k := scripted{language: "python", evaluate: func(ctx context.Context) (map[string]any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	synctest.Test(t, func(t *testing.T) {
		if _, err := inspect.Variables(t.Context(), k, inspect.ListOptions{}); !errors.Is(err, inspect.ErrSlow) {
			t.Errorf("%v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		_, err := inspect.Variables(ctx, k, inspect.ListOptions{})
		test.False(t, errors.Is(err, inspect.ErrSlow))
		test.ErrorIs(t, err, context.Canceled)
		k.status = "busy"
		if _, err := inspect.Variables(t.Context(), k, inspect.ListOptions{}); !errors.Is(err, inspect.ErrBusy) {
			t.Errorf("%v", err)
		}
	})
}
