package tool

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Panicked is a panic as an error.
type Panicked struct {
	Value any
	Stack []byte
}

// Kind returns the type of the value, or a runtime error's message: it contains indexes and types, but no user data.
func (p *Panicked) Kind() string {
	if r, ok := p.Value.(runtime.Error); ok {
		return r.Error()
	}
	return fmt.Sprintf("panic with %T", p.Value)
}

func (p *Panicked) Error() string { return fmt.Sprint("panic: ", p.Value) }

// Caught returns an error for the result of recover.
func Caught(value any) *Panicked { return &Panicked{value, debug.Stack()} }
