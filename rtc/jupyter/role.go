package jupyter

import (
	"errors"
	"strings"
)

// The settings that name the server, if there is one server.
const (
	settingURL   = "JUPYTER_SERVER_URL"
	settingToken = "JUPYTER_TOKEN (or --token)"
)

// forRole replaces the usual settings in a text by those of a role.
func forRole(role, text string) string {
	if role == "" {
		return text
	}
	upper := strings.ToUpper(role)
	return strings.NewReplacer(settingToken, upper+"_TOKEN (or --"+role+"-token)", settingURL, upper+"_URL").Replace(text)
}

// withRole makes an error name its server, if there are several.
func (s *Server) withRole(err error) error {
	var e *Error
	if s.role != "" && errors.As(err, &e) && e.Server == "" {
		e.Server = "the " + s.role + " server"
		if at := s.BaseURL(); at != "" {
			e.Server += " at " + at
		}
		e.Hint = forRole(s.role, e.Hint)
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
