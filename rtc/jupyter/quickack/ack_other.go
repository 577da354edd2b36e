//go:build !linux

package quickack

import "net"

// ack returns c as it is: only Linux has the switch.
func ack(c *net.TCPConn) net.Conn { return c }
