package tool

import "context"

type wordsKey struct{}

// WithWords makes the answers of a call words instead of JSON, see [Answer.Words].
func WithWords(ctx context.Context) context.Context { return context.WithValue(ctx, wordsKey{}, true) }

// InWords reports whether the answer of the call of ctx is in words.
func InWords(ctx context.Context) bool {
	words, _ := ctx.Value(wordsKey{}).(bool)
	return words
}
