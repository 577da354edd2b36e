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

// Kind is the type of the value, or what a runtime error says: an index, a type, nothing of what was worked on.
func (p *Panicked) Kind() string {
	if r, ok := p.Value.(runtime.Error); ok {
		return r.Error()
	}
	return fmt.Sprintf("panic with %T", p.Value)
}

func (p *Panicked) Error() string { return fmt.Sprint("panic: ", p.Value) }

// Caught makes an error from what recover returned.
func Caught(value any) *Panicked { return &Panicked{value, debug.Stack()} }
