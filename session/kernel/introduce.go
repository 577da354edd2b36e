package kernel

import (
	"context"
	"strings"
)

// introduce sends the expression that the kernel's process evaluates before a request, unless it was sent already. It does
// not wait for an answer: the kernel answers in order.
func (c *Conn) introduce(ctx context.Context, before *execution, expression string) {
	if expression == "" {
		return
	}
	c.mu.Lock()
	known := c.introduced == expression
	c.mu.Unlock()
	if known {
		return
	}
	m := newOutgoing("shell", c.ids.header("execute_request"), nil, map[string]any{
		"code": "", "silent": true, "store_history": false, "allow_stdin": false, "stop_on_error": false,
		"user_expressions": map[string]string{"first": expression},
	})
	m.sending = func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		name, _ := c.language["name"].(string)
		python := strings.EqualFold(name, "python") || strings.EqualFold(name, "ipython")
		if c.introduced == expression || c.language != nil && !python {
			return false
		}
		c.introduced = expression
		return true
	}
	m.unsent = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.introduced = ""
	}
	select {
	case c.outbox <- m:
	case <-before.done: // the kernel is gone
	case <-ctx.Done(): // the request sees it too
	}
}
