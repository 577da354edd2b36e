package quickack

import (
	"net"
	"syscall"
)

// ackConn is a TCP connection with immediate acknowledgements. The operating system switches back to delayed ones by
// itself, so the option is set again after every read.
type ackConn struct {
	*net.TCPConn
	raw syscall.RawConn
}

func ack(c *net.TCPConn) net.Conn {
	raw, err := c.SyscallConn()
	if err != nil {
		return c // only slower
	}
	q := &ackConn{TCPConn: c, raw: raw}
	q.arm()
	return q
}

func (q *ackConn) Read(b []byte) (int, error) {
	n, err := q.TCPConn.Read(b)
	if err == nil {
		q.arm()
	}
	return n, err
}

// arm sets TCP_QUICKACK. A failure only means later answers; a closed connection shows at the next read.
func (q *ackConn) arm() {
	_ = q.raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
}
