package jupyter

import (
	"context"
	"errors"
	"regexp"
)

// maxPageBytes is how much of JupyterLab's page is read; its configuration is in its head.
const maxPageBytes = 1 << 20

// noRTC is what JupyterLab's configuration, in its page, has where people's tabs are to stay out of the rooms
// (jupyter_server_ydoc's disable_rtc).
var noRTC = regexp.MustCompile(`"disableRTC"\s*:\s*"?true\b`)

// TabsApart tells whether JupyterLab is told to keep people's tabs out of the rooms, although the server has rooms. A
// server without JupyterLab has no such tabs.
func (s *Server) TabsApart(ctx context.Context) (bool, error) {
	var page []byte
	err := s.do(ctx, call{op: "read the configuration of JupyterLab", path: "/lab", page: &page}, nil)
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrNotJupyter):
		return false, nil
	case err != nil:
		return false, err
	}
	return noRTC.Match(page), nil
}
