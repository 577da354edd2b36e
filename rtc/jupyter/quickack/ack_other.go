//go:build !linux

package quickack

import "net"

// ack returns c unchanged: only Linux has the option.
func ack(c *net.TCPConn) net.Conn { return c }
