package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxMessage bounds one MCP message, in bytes, because mcp-go's reader collects a line of any length.
const maxMessage = 64 << 20

// input is standard input that tells when it has ended, and refuses lines that are too long.
type input struct {
	r     io.Reader
	line  int // bytes since the last line end
	once  sync.Once
	ended chan struct{} // closed at the end, or the first error
}

func newInput(r io.Reader) *input { return &input{r: r, ended: make(chan struct{})} }

// Read reads on; it is called by one goroutine at a time.
func (in *input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		in.line = n - i - 1
	} else {
		in.line += n
	}
	if in.line > maxMessage {
		n, err = 0, fmt.Errorf("a message is longer than %d bytes", maxMessage)
	}
	if err != nil {
		in.once.Do(func() { close(in.ended) })
	}
	return n, err
}
