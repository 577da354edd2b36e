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

// Caught makes an error of what recover has returned.
func Caught(value any) *Panicked { return &Panicked{value, debug.Stack()} }
