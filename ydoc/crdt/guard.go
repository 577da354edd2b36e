package crdt

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// ErrBroken means that a document is unusable: the library failed inside it, or it was found inconsistent or too
// large. It can no longer be read or written. Discard it and join the room again.
var ErrBroken = wire.Fixed("document is broken")

// brokenError is the reason why a document broke.
type brokenError struct {
	op    string
	cause error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("%s: %v: %v; rejoin the room", e.op, ErrBroken, e.cause)
}

func (e *brokenError) Unwrap() []error { return []error{ErrBroken, e.cause} }

// Err says why the document is broken, as an error that matches [ErrBroken], or nil.
func (r *Replica) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Do runs f with the document locked and guarded: a panic, ours or the library's, breaks the document. On a broken
// document f is not run. op names the operation in errors.
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

// Read is [Replica.Do] for operations without an error.
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
