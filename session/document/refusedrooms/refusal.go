// Package refusedrooms remembers the files whose rooms a Jupyter server could not make, so that they are not joined
// repeatedly: each attempt causes a traceback in the server's log, and may end other rooms.
//
// # Concurrency
//
// A [Book] is safe for concurrent use.
package refusedrooms

import (
	"errors"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// MaxTries is how often joining is tried for a room that the server cannot make.
const MaxTries = 3

// mostRefused bounds the files that are remembered.
const mostRefused = 1000

// A Book holds the refused files of one server. The zero value is empty.
type Book struct {
	mu    sync.Mutex
	files map[jupyter.Path]refused
}

// refused is the state of a file when the server could not make its room.
type refused struct {
	modified time.Time
	size     int64
	err      error
	again    bool // it is tried once more
}

// Of returns the error of a file that has not changed since it was refused. Without one, tries is how often to join its
// room.
func (b *Book) Of(c jupyter.Content) (tries int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known := b.files[c.Path]
	switch {
	case !known || !r.modified.Equal(c.LastModified) || r.size != sizeOf(c):
		return MaxTries, nil
	case r.again:
		return 1, nil
	}
	return 0, r.err
}

// Note remembers an error of opening a file if it means that the server refused the file. Success removes the file.
func (b *Book) Note(c jupyter.Content, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !Is(err) {
		if err == nil {
			delete(b.files, c.Path)
		}
		return
	}
	if b.files == nil || len(b.files) >= mostRefused {
		b.files = make(map[jupyter.Path]refused)
	}
	b.files[c.Path] = refused{modified: c.LastModified, size: sizeOf(c), err: err}
}

// Again allows one more attempt at a file, and reports whether it was refused.
func (b *Book) Again(path jupyter.Path) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known := b.files[path]
	if known {
		r.again = true
		b.files[path] = r
	}
	return known
}

// Forget removes a file after it was written.
func (b *Book) Forget(path jupyter.Path) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.files, path)
}

// Is reports whether an error means that the server cannot make the room of a file.
func Is(err error) bool {
	var end *rtc.CloseError
	return errors.As(err, &end) && (end.Code == rtc.CodeInvalid || end.Code == rtc.CodeNotLoaded)
}

func sizeOf(c jupyter.Content) int64 {
	if c.Size == nil {
		return -1
	}
	return *c.Size
}
