package crdt

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrBroken is the end of a document: the library failed inside it, or it was found inconsistent or too large. Nothing
// can be read or written any more. Throw it away and join the room afresh.
var ErrBroken = wire.Fixed("document is broken")

// brokenError carries why a document broke.
type brokenError struct {
	op    string
	cause error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("%s: %v: %v; join the room afresh", e.op, ErrBroken, e.cause)
}

func (e *brokenError) Unwrap() []error { return []error{ErrBroken, e.cause} }

// Err says why the document is broken, as an error that matches [ErrBroken], or nil.
func (r *Replica) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Do runs f with the document locked and guarded: a panic, ours or the library's, breaks the document. On a broken one
// f is not run. op says in errors what was to be done.
func (r *Replica) Do(op string, f func() error) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	defer func() {
		if p := recover(); p != nil {
			err = r.fail(op, p)
		}
	}()
	err = f()
	if r.opt.Settled != nil {
		r.opt.Settled()
	}
	return err
}

// Read is [Replica.Do] for what has no error.
func (r *Replica) Read(op string, f func()) {
	_ = r.Do(op, func() error { f(); return nil })
}

// fail breaks the document for good.
func (r *Replica) fail(op string, cause any) error {
	err, ok := cause.(error)
	if !ok {
		err = fmt.Errorf("%v", cause)
	}
	r.err = &brokenError{op: op, cause: err}
	if r.opt.Broken != nil {
		r.opt.Broken()
	}
	return r.err
}
