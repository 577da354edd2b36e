package kernel

import (
	"context"
	"fmt"
)

// Evaluate runs code silently: without a number, history or visible output. Then it evaluates the expressions; the reply
// has the kernel's answer for each, by name: an object with "status" and "data", or the exception. The kernel first
// finishes its running code.
func (c *Conn) Evaluate(ctx context.Context, code string, expressions map[string]string) (reply Reply, begun bool, err error) {
	reply, err = c.Execute(ctx, Request{Code: code, Silent: true, UserExpressions: expressions}, func(ev Event) {
		if st, ok := ev.(Status); ok && st.State == StateBusy {
			begun = true
		}
	})
	switch {
	case err != nil:
		return Reply{}, begun, err
	case reply.Error != nil:
		return Reply{}, begun, *reply.Error
	case reply.Status != "ok":
		return Reply{}, begun, fmt.Errorf("the kernel did not run it (%s)", reply.Status)
	}
	return reply, begun, nil
}
