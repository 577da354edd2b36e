package jupyter

import (
	"errors"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// withRole makes an error name its server, if there are several.
func (s *Server) withRole(err error) error {
	var e *Error
	if s.role != "" && errors.As(err, &e) && e.Server == "" {
		e.Server = "the " + s.role + " server"
		if at := s.BaseURL(); at != "" {
			e.Server += " at " + at
		}
		e.Hint, e.fault = faults.ForRole(s.role, e.Hint), e.fault.ForRole(s.role)
	}
	return err
}

// atAddress is the word and the server's address; "" if errors name the server anyway.
func (s *Server) atAddress(word string) string {
	if s.role != "" {
		return ""
	}
	return word + s.BaseURL()
}
