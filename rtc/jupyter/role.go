package jupyter

import (
	"errors"
	"strings"
)

// The settings by which a person says where the server is; they are named where there is one.
const (
	settingURL   = "JUPYTER_SERVER_URL"
	settingToken = "JUPYTER_TOKEN (or --token)"
)

// forRole puts the settings of a role into a text that names the usual ones.
func forRole(role, text string) string {
	if role == "" {
		return text
	}
	upper := strings.ToUpper(role)
	return strings.NewReplacer(settingToken, upper+"_TOKEN (or --"+role+"-token)", settingURL, upper+"_URL").Replace(text)
}

// withRole has an error say which of several servers it is from.
func (s *Server) withRole(err error) error {
	var e *Error
	if s.role != "" && errors.As(err, &e) && e.Server == "" {
		e.Server = "the " + s.role + " server at " + s.BaseURL()
		e.Hint = forRole(s.role, e.Hint)
	}
	return err
}

// atAddress is where the server is, behind a word, unless errors say that anyway.
func (s *Server) atAddress(word string) string {
	if s.role != "" {
		return ""
	}
	return word + s.BaseURL()
}
