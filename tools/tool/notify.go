package tool

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Over Streamable HTTP, mcp-go takes a notification out of its session's queue, and drops it if the request for whose stream
// it was taken is answered at that moment. All requests of an older client share one queue, so any of them may lose a
// notification for the client's own stream. A transport can therefore take notifications itself.

// A Notifier accepts notifications for one stream to a client.
type Notifier interface {
	// Notify returns false if the notification will not be sent.
	Notify(n mcp.JSONRPCNotification) bool
}

// Notifiers are a transport's own notifiers; a nil one means mcp-go's queue.
type Notifiers struct {
	Request Notifier // for notifications that belong to the request, on its own stream
	Session Notifier // for the others
}

type notifiersKey struct{}

// WithNotifiers returns a context with a transport's notifiers.
func WithNotifiers(ctx context.Context, n Notifiers) context.Context {
	return context.WithValue(ctx, notifiersKey{}, n)
}

// NotifiersIn returns the notifiers that a transport put into the context.
func NotifiersIn(ctx context.Context) Notifiers {
	n, _ := ctx.Value(notifiersKey{}).(Notifiers)
	return n
}

// An Acknowledger is a Notifier for the stream of a listening request. mcp-go itself acknowledges the request, through its
// queue.
type Acknowledger interface {
	// Acknowledged waits until the acknowledgement is on the stream, or ctx ends.
	Acknowledged(ctx context.Context)
}

// HookListen makes a request that listens to nothing, and is answered immediately, wait for its acknowledgement.
func HookListen(hooks *server.Hooks) {
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		if a, ok := NotifiersIn(ctx).Request.(Acknowledger); ok {
			a.Acknowledged(ctx)
		}
	})
}
