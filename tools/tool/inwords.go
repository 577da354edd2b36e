package tool

import (
	"context"

	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

type wordsKey struct{}

// WithWords makes a call's answer words instead of JSON, see [Answer.Words].
func WithWords(ctx context.Context) context.Context { return context.WithValue(ctx, wordsKey{}, true) }

// InWords reports whether the answer to the call of ctx is in words.
func InWords(ctx context.Context) bool {
	words, _ := ctx.Value(wordsKey{}).(bool)
	return words
}

// Words returns write, for [Answer.Words], or nil if the answer to the call is not in words.
func Words(ctx context.Context, write func() plaintext.Text) func() plaintext.Text {
	if !InWords(ctx) {
		return nil
	}
	return write
}
