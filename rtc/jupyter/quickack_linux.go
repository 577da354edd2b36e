package jupyter

import (
	"net"
	"syscall"
)

// quickAckConn is a TCP connection with immediate acknowledgements. The operating system goes back to delayed ones by
// itself, so the switch is set again after every read.
type quickAckConn struct {
	*net.TCPConn
	raw syscall.RawConn
}

func quickAck(c *net.TCPConn) net.Conn {
	raw, err := c.SyscallConn()
	if err != nil {
		return c // only slower
	}
	q := &quickAckConn{TCPConn: c, raw: raw}
	q.arm()
	return q
}

func (q *quickAckConn) Read(b []byte) (int, error) {
	n, err := q.TCPConn.Read(b)
	if err == nil {
		q.arm()
	}
	return n, err
}

// arm sets TCP_QUICKACK; a failure means only that answers come later, and a closed connection shows at the next read.
func (q *quickAckConn) arm() {
	_ = q.raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
}
