package memnet

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// Network is a set of listeners. The zero value is empty.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*Listener
}

// Listen makes a listener with an address such as "jupyter.test:80". It fails if the address is in use.
func (n *Network) Listen(addr string) (*Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners[addr] != nil {
		return nil, &net.OpError{Op: "listen", Net: "memory", Addr: Addr(addr), Err: syscall.EADDRINUSE}
	}
	l := &Listener{network: n, addr: Addr(addr), backlog: make(chan net.Conn), closed: make(chan struct{})}
	if n.listeners == nil {
		n.listeners = make(map[string]*Listener)
	}
	n.listeners[addr] = l
	return l, nil
}

// Dial connects to a listener. It has the form of net.Dialer's DialContext, and ignores the network argument. Without
// a listener at that address it fails like a closed port.
func (n *Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: Addr(addr), Err: err}
	}
	n.mu.Lock()
	l := n.listeners[addr]
	n.mu.Unlock()
	if l == nil {
		return fail(fmt.Errorf("connect: %w", syscall.ECONNREFUSED))
	}
	near, far := Pipe(Addr("client"), l.addr)
	select {
	case l.backlog <- far:
		return near, nil
	case <-l.closed:
		return fail(fmt.Errorf("connect: %w", syscall.ECONNREFUSED))
	case <-ctx.Done():
		return fail(ctx.Err())
	}
}

// Listener accepts the connections to one address.
type Listener struct {
	network *Network
	addr    Addr
	backlog chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// Accept implements [net.Listener].
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.backlog:
		return c, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "accept", Net: "memory", Addr: l.addr, Err: net.ErrClosed}
	}
}

// Close implements [net.Listener]. It frees the address.
func (l *Listener) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		delete(l.network.listeners, string(l.addr))
		l.network.mu.Unlock()
		close(l.closed)
	})
	return nil
}

// Addr implements [net.Listener].
func (l *Listener) Addr() net.Addr { return l.addr }

// Addr is an address in memory.
type Addr string

// Network implements [net.Addr].
func (Addr) Network() string { return "memory" }

func (a Addr) String() string { return string(a) }
