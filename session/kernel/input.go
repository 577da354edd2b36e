package kernel

import (
	"context"
	"encoding/json"
	"fmt"
)

// inputRequest is an unanswered input request of the kernel.
type inputRequest struct {
	request string          // the execution that asks
	header  json.RawMessage // the question's header, the answer's parent
}

func (c *Conn) onInputRequest(m incoming) {
	ev, err := decodeEvent(m)
	if err != nil {
		c.log.Warn("kernel message ignored", "kernel", c.kernelID, "type", m.header.Type, "error", err)
		return
	}
	c.mu.Lock()
	c.asking = &inputRequest{request: m.parent.ID, header: m.rawHeader}
	ex := c.pending[m.parent.ID]
	c.mu.Unlock()
	if ex != nil {
		c.deliver(ex, ev)
	}
}

// Input answers the last [InputRequest]; value is the line without its newline. The error is ErrNoInput if no code of
// this connection waits for input.
func (c *Conn) Input(ctx context.Context, value string) error {
	c.mu.Lock()
	asking, err := c.asking, c.err
	c.asking = nil
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("answer the kernel: %w", err)
	}
	if asking == nil {
		return ErrNoInput
	}
	m := newOutgoing("stdin", c.ids.header("input_reply"), asking.header, map[string]any{"status": "ok", "value": value})
	select {
	case c.outbox <- m:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		if c.asking == nil {
			c.asking = asking
		}
		c.mu.Unlock()
		return fmt.Errorf("answer the kernel: %w", ctx.Err())
	case <-c.ctx.Done():
		return fmt.Errorf("answer the kernel: %w", ErrClosed)
	}
}
