package notebook_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestBadCursors(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "1")
		for _, bad := range []string{"x", "!!", "eyJhdCI6LTF9", "eyJhdCI6MCwibGVmdCI6W3sicyI6NSwiZSI6MX1dfQ"} {
			r.Bad("read_nb_cells", toolstest.Dict{"path": path, "cursor": bad}, "cursor", "next_cursor")
		}
		r.Bad("read_nb_cells", toolstest.Dict{"path": path, "cursor": "eyJhdCI6MH0", "ranges": []toolstest.Dict{{"start": 0}}}, "cursor and ranges are both")
		r.Bad("read_nb_cells", toolstest.Dict{"path": path, "cursor": strings.Repeat("x", notebook.MaxCursor+1)}, "cursor")
	})
}
