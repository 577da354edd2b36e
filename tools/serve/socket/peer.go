package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// A peer represents the client to mcp-go and the tools.
type peer struct {
	id  string
	out *outbox

	mu           sync.Mutex
	ready        bool
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	protocol     string
	level        mcp.LoggingLevel
	asked        int64
	questions    map[string]chan jsonrpc.Message // open questions, by the ids of their requests
	gone         chan struct{}                   // closed when the client is gone
}

func newPeer(id string, out *outbox) *peer {
	return &peer{id: id, out: out, level: mcp.LoggingLevelError, questions: map[string]chan jsonrpc.Message{}, gone: make(chan struct{})}
}

var (
	_ server.SessionWithClientInfo      = (*peer)(nil)
	_ server.SessionWithProtocolVersion = (*peer)(nil)
	_ server.SessionWithLogging         = (*peer)(nil)
	_ server.SessionWithElicitation     = (*peer)(nil)
	_ tool.Notifier                     = (*peer)(nil)
)

// SessionID implements server.ClientSession.
func (p *peer) SessionID() string { return p.id }

// NotificationChannel implements server.ClientSession.
func (p *peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.out.notes }

// Initialize implements server.ClientSession.
func (p *peer) Initialize() { set(p, &p.ready, true) }

// Initialized implements server.ClientSession.
func (p *peer) Initialized() bool { return get(p, &p.ready) }

// SetClientInfo implements server.SessionWithClientInfo.
func (p *peer) SetClientInfo(info mcp.Implementation) { set(p, &p.info, info) }

// GetClientInfo implements server.SessionWithClientInfo.
func (p *peer) GetClientInfo() mcp.Implementation { return get(p, &p.info) }

// SetClientCapabilities implements server.SessionWithClientInfo.
func (p *peer) SetClientCapabilities(c mcp.ClientCapabilities) { set(p, &p.capabilities, c) }

// GetClientCapabilities implements server.SessionWithClientInfo.
func (p *peer) GetClientCapabilities() mcp.ClientCapabilities { return get(p, &p.capabilities) }

// SetProtocolVersion sets the negotiated revision; mcp-go calls it.
func (p *peer) SetProtocolVersion(version string) { set(p, &p.protocol, version) }

// ProtocolVersion implements server.SessionWithProtocolVersion.
func (p *peer) ProtocolVersion() string { return get(p, &p.protocol) }

// SetLogLevel implements server.SessionWithLogging.
func (p *peer) SetLogLevel(level mcp.LoggingLevel) { set(p, &p.level, level) }

// GetLogLevel implements server.SessionWithLogging.
func (p *peer) GetLogLevel() mcp.LoggingLevel { return get(p, &p.level) }

func get[T any](p *peer, field *T) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *field
}

func set[T any](p *peer, field *T, value T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*field = value
}

// Notify sends a notification, unless the client has many unread bytes. It implements tool.Notifier.
func (p *peer) Notify(n mcp.JSONRPCNotification) bool {
	b, err := json.Marshal(n)
	return err == nil && p.out.offer(b)
}

// RequestElicitation asks the client's user a question. It implements server.SessionWithElicitation.
func (p *peer) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answer := make(chan jsonrpc.Message, 1)
	p.mu.Lock()
	p.asked++
	id := strconv.FormatInt(p.asked, 10)
	p.questions[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.questions, id)
		p.mu.Unlock()
	}()
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, fmt.Errorf("write the elicitation: %w", err)
	}
	if err := p.out.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, mcp.MethodElicitationCreate, params)); err != nil {
		return nil, server.ErrNoActiveSession
	}
	select {
	case m := <-answer:
		return elicited(m)
	case <-p.gone:
		return nil, server.ErrNoActiveSession
	case <-ctx.Done():
		// A client that does not receive this only shows an obsolete question.
		_ = p.out.offer(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"requestId":%s}}`, mcp.MethodNotificationCancelled, id))
		return nil, ctx.Err()
	}
}

// elicited reads the answer to a question.
func elicited(m jsonrpc.Message) (*mcp.ElicitationResult, error) {
	if m.Error != nil {
		var failed mcp.JSONRPCErrorDetails
		if err := json.Unmarshal(m.Error, &failed); err != nil {
			return nil, fmt.Errorf("read the client's error: %w", err)
		}
		return nil, fmt.Errorf("the client returned an error: %s", failed.Message)
	}
	var result mcp.ElicitationResult
	if err := json.Unmarshal(m.Result, &result); err != nil {
		return nil, fmt.Errorf("read the client's answer: %w", err)
	}
	return &result, nil
}

// answered handles the client's answer to a question. An unexpected answer is dropped.
func (p *peer) answered(m jsonrpc.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer := p.questions[string(m.ID)]; answer != nil {
		select {
		case answer <- m:
		default: // already answered
		}
	}
}
