package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/nbduet/nbduet/tools/tool"
)

// hook has mcp-go say who subscribes. In the older protocol a client's session is its stream, from when it is
// registered; in the newer each request that listens is one, as long as it goes on.
func (l *notifier) hook(hooks *server.Hooks) {
	hooks.AddOnRegisterSession(func(ctx context.Context, session server.ClientSession) {
		l.mu.Lock()
		defer l.mu.Unlock()
		s := &feed{ctx: context.WithoutCancel(ctx), session: session, subs: map[string]*subscription{}}
		l.feeds[session] = s // its first request says whose it is
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
			req.Params.URI = "" // which mcp-go refuses; codeErrors words it
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
		s.lists.on = req.Params.Notifications.ResourcesListChanged
		// What cannot be subscribed to is missing in the acknowledgement.
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

// older is the stream of a request of the older protocol, nil where there is none. l.mu is held.
func (l *notifier) older(ctx context.Context) *feed {
	session := server.ClientSessionFromContext(ctx)
	if session == nil || server.IsModernRequest(ctx) {
		return nil
	}
	s := l.feeds[session]
	if s != nil && !s.lists.on {
		s.ctx, s.client, s.lists.on = context.WithoutCancel(ctx), tool.ClientOf(ctx), true
	}
	return s
}

// refusal is why a request to subscribe was refused, nil where it was not.
func (l *notifier) refusal(message any) *requestError {
	var e *requestError
	if err, ok := l.refused.LoadAndDelete(message); ok {
		if cause, ok := err.(error); ok {
			errors.As(cause, &e)
		}
	}
	return e
}
