// Package origin records, in the context of a call, the client and the call that change a document.
//
// Several clients of this program may write through one replica, and its edits carry one client id. Only this package knows
// which of them made an edit, and by which call.
package origin

import "context"

// Author identifies the origin of an edit: one call of one client. The zero value is this program itself, as when it
// repairs a document.
type Author struct {
	// Client is the client session.
	Client string
	// Owner is the client's name for records that outlast its session, "" for none.
	Owner string
	// Call is unique for the call in the process, 0 for none: all edits of one call belong together.
	Call uint64
	// Tool is the tool that was called.
	Tool string
	// Reason is the caller's own reason, "" if not given.
	Reason string
}

type key struct{}

// With makes a the author of edits in the context.
func With(ctx context.Context, a Author) context.Context { return context.WithValue(ctx, key{}, a) }

// Of returns the author of edits in a context.
func Of(ctx context.Context) Author {
	a, _ := ctx.Value(key{}).(Author)
	return a
}
