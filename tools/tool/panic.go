package tool

import (
	"fmt"
	"runtime/debug"
)

// Panicked is a panic as an error.
type Panicked struct {
	Value any
	Stack []byte
}

func (p *Panicked) Error() string { return fmt.Sprint("panic: ", p.Value) }

// Caught makes an error from what recover returned.
func Caught(value any) *Panicked { return &Panicked{value, debug.Stack()} }
