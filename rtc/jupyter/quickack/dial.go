// Package quickack dials TCP connections with immediate acknowledgements.
package quickack

import (
	"context"
	"net"
	"time"
)

// dialTime bounds the time to connect.
const dialTime = 30 * time.Second

// Dial dials TCP with immediate acknowledgements, if the system has an option for them. Without it, a server that
// sends several small writes waits up to 40 ms for the acknowledgement of the first.
func Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		return ack(tcp), nil // TCP_NODELAY is Go's default
	}
	return conn, nil
}
