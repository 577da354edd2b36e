package tools

import (
	"fmt"
	"runtime/debug"
)

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprint("panic: ", p.value) }

// caught makes an error of what recover has returned.
func caught(value any) *panicked { return &panicked{value, debug.Stack()} }
