package tools

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/tools/notebook"
)

func TestBadCursors(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, "1")
	for _, bad := range []string{"x", "!!", "eyJhdCI6LTF9", "eyJhdCI6MCwibGVmdCI6W3sicyI6NSwiZSI6MX1dfQ"} {
		r.bad("read_nb_cells", dict{"path": path, "cursor": bad}, "cursor", "next_cursor")
	}
	r.bad("read_nb_cells", dict{"path": path, "cursor": "eyJhdCI6MH0", "ranges": []dict{{"start": 0}}}, "both a cursor and ranges")
	r.bad("read_nb_cells", dict{"path": path, "cursor": strings.Repeat("x", notebook.MaxCursor+1)}, "cursor")
}
