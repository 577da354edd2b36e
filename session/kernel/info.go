package kernel

import (
	"context"
	"encoding/json"
	"fmt"
)

// onInfo keeps what the kernel says of its language. It is asked at the beginning of each socket, as a greeting.
func (c *Conn) onInfo(m incoming) {
	var content struct {
		Language mapping `json:"language_info"`
	}
	if err := json.Unmarshal(m.content, &content); err != nil || content.Language == nil {
		return // a kernel that cannot say it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.language == nil
	c.language = content.Language
	if first {
		close(c.informed)
	}
}

// LanguageInfo returns what the kernel says of its language, as notebooks have it in their metadata under
// "language_info"; it waits until the kernel has started up and said it.
func (c *Conn) LanguageInfo(ctx context.Context) (map[string]any, error) {
	select {
	case <-c.informed:
	case <-ctx.Done():
		return nil, fmt.Errorf("ask the kernel for its language: %w", ctx.Err())
	case <-c.ctx.Done():
		return nil, fmt.Errorf("ask the kernel for its language: %w", c.Err())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.language, nil
}
