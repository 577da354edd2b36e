package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/tool"
)

// hook learns from mcp-go which clients subscribe. In the older protocol, a client's session is its stream from its
// registration on; in the newer one, each listening request is a stream until it ends.
func (l *notifier) hook(hooks *server.Hooks) {
	hooks.AddOnRegisterSession(func(ctx context.Context, session server.ClientSession) {
		l.mu.Lock()
		defer l.mu.Unlock()
		s := &feed{ctx: context.WithoutCancel(ctx), session: session, subs: map[string]*subscription{}}
		l.feeds[session] = s // its first request names the client
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.drop(session)
	})
	hooks.AddAfterCallTool(func(ctx context.Context, _ any, _ *mcp.CallToolRequest, _ any) {
		l.mu.Lock()
		l.older(ctx)
		l.mu.Unlock()
		l.called(tool.ClientOf(ctx))
	})
	hooks.AddBeforeSubscribe(func(ctx context.Context, _ any, req *mcp.SubscribeRequest) {
		l.mu.Lock()
		defer l.mu.Unlock()
		s := l.older(ctx)
		if s == nil || req.Params.URI == "" {
			return
		}
		if err := l.subscribe(s, req.Params.URI); err != nil {
			l.refused.Store(req, err)
			req.Params.URI = "" // mcp-go refuses it; codeErrors words the error
		}
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s := l.older(ctx); s != nil && s.subs[req.Params.URI] != nil {
			s.subs[req.Params.URI].release()
			delete(s.subs, req.Params.URI)
		}
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, req *mcp.SubscriptionsListenRequest) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if id == nil || server.ClientSessionFromContext(ctx) == nil {
			return
		}
		s := l.open(ctx, req, id)
		s.lists.on, s.tools.on = req.Params.Notifications.ResourcesListChanged, req.Params.Notifications.ToolsListChanged
		// The acknowledgement leaves out addresses that cannot be subscribed to.
		req.Params.Notifications.ResourceSubscriptions = slices.DeleteFunc(slices.Clone(req.Params.Notifications.ResourceSubscriptions), func(uri string) bool {
			return l.subscribe(s, uri) != nil
		})
	})
	hooks.AddAfterSubscriptionsListen(func(_ context.Context, _ any, req *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.drop(req)
	})
	hooks.AddOnError(func(_ context.Context, _ any, _ mcp.MCPMethod, message any, _ error) {
		if req, ok := message.(*mcp.SubscriptionsListenRequest); ok {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.drop(req)
		}
	})
}

// older returns the stream of a request of the older protocol, nil for other requests. l.mu is held.
func (l *notifier) older(ctx context.Context) *feed {
	session := server.ClientSessionFromContext(ctx)
	if session == nil || server.IsModernRequest(ctx) {
		return nil
	}
	s := l.feeds[session]
	if s != nil && !s.lists.on {
		s.ctx, s.client, s.lists.on, s.tools.on = context.WithoutCancel(ctx), tool.ClientOf(ctx), true, true
		s.news.on = takesNews(ctx)
	}
	return s
}

// refusal returns why a request to subscribe was refused, nil if it was not.
func (l *notifier) refusal(message any) *requestError {
	err, _ := l.refused.LoadAndDelete(message)
	cause, _ := err.(error)
	e, _ := errors.AsType[*requestError](cause)
	return e
}
