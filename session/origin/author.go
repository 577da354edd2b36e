// Package origin says, in the context of a call, for whom and by what a document is changed.
//
// Several clients of this program may write through one replica, and its edits carry one client id. Who of them made an
// edit, and by which call, is known here alone.
package origin

import "context"

// Author is who makes an edit: one call of one client. The zero value is this program itself, as where it mends a
// document.
type Author struct {
	// Client is the client session.
	Client string
	// Call tells the call from all others of the process, 0 for none: what one call does belongs together.
	Call uint64
	// Tool is the tool that was called.
	Tool string
	// Reason is why, in the caller's own words, "" if it did not say.
	Reason string
}

type key struct{}

// With makes a the author of what is edited in the context.
func With(ctx context.Context, a Author) context.Context { return context.WithValue(ctx, key{}, a) }

// Of is the author of what is edited in a context.
func Of(ctx context.Context) Author {
	a, _ := ctx.Value(key{}).(Author)
	return a
}
