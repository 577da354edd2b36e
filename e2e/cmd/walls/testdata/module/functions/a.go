package functions

import "context"

type Server struct{}

func (s *Server) Method() {}

func First(s *Server, n int) {}

func Behind(ctx context.Context, s Server) {}

func Second(n int, s *Server) {}

// Long has a line without code.
func Long(n int) int {
	n++

	n++
	return n
}
