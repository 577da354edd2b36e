package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// A client that asks and does not read its answers is let go before they fill the memory.
func TestUnreadAnswers(t *testing.T) {
	clean(t)
	p := launch(t, "--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken")
	p.initialize()
	// Each answer is as long as its id.
	long := strings.Repeat("x", 1<<20)
	sent := 0
	for ; sent < 1000; sent++ {
		if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":"%s","method":"ping"}`+"\n", long); err != nil {
			break // the program has ended
		}
	}
	if code := <-p.code; code != exitFault || !strings.Contains(p.log.String(), "does not read its answers") {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	if sent < maxUnread>>20 {
		t.Errorf("let go after %d answers", sent)
	}
}

// A client that reads may be sent any amount.
func TestReadAnswers(t *testing.T) {
	out := newOutput(io.Discard)
	message := make([]byte, maxUnread+1)
	for range 3 {
		if n, err := out.Write(message); n != len(message) || err != nil {
			t.Errorf("wrote %d bytes, %v", n, err)
		}
	}
}
