package tool

import (
	"context"

	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type wordsKey struct{}

// WithWords makes the answers of a call words instead of JSON, see [Answer.Words].
func WithWords(ctx context.Context) context.Context { return context.WithValue(ctx, wordsKey{}, true) }

// InWords reports whether the answer of the call of ctx is in words.
func InWords(ctx context.Context) bool {
	words, _ := ctx.Value(wordsKey{}).(bool)
	return words
}

// Words returns what an answer in words is made by, for [Answer.Words]; nil where the answer of the call is not in words.
func Words(ctx context.Context, write func() plaintext.Text) func() plaintext.Text {
	if !InWords(ctx) {
		return nil
	}
	return write
}
