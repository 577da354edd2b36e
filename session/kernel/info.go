package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// onInfo keeps the kernel's description of its language. Each socket begins with a request for it.
func (c *Conn) onInfo(m incoming) {
	var content struct {
		Language mapping `json:"language_info"`
	}
	if err := json.Unmarshal(m.content, &content); err != nil || content.Language == nil {
		return // a kernel without a description
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.language == nil
	c.language = content.Language
	if first {
		close(c.informed)
	}
}

// Language returns the name of the kernel's language, such as "python"; see [Conn.LanguageInfo].
func (c *Conn) Language(ctx context.Context) (string, error) {
	info, err := c.LanguageInfo(ctx)
	name, _ := info["name"].(string)
	return name, err
}

// LanguageInfo returns the kernel's description of its language, as in the "language_info" of notebook metadata. It waits
// until the kernel has started and sent it.
//
// Some kernels, such as R's, do not answer on the control channel. They get the request on the shell channel, where they
// answer when their running code has finished.
func (c *Conn) LanguageInfo(ctx context.Context) (map[string]any, error) {
	ask := time.NewTimer(c.timing.greetWait)
	defer ask.Stop()
	var question outgoing
	var outbox chan<- outgoing
	for {
		select {
		case <-c.informed:
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.language, nil
		case <-ask.C:
			question, outbox = c.ids.infoRequest("shell"), c.outbox
		case outbox <- question:
			outbox = nil
			ask.Reset(c.timing.askAfter) // it may be lost with the connection
		case <-ctx.Done():
			return nil, fmt.Errorf("ask the kernel for its language: %w", ctx.Err())
		case <-c.ctx.Done():
			return nil, fmt.Errorf("ask the kernel for its language: %w", c.Err())
		}
	}
}
