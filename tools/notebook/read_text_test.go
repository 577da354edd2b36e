package notebook_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A text document is read whole, or piece by piece, and may then be edited.
func TestReadText(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		text := strings.Repeat("line\n", 100)
		path := r.Server.Write(t, r.Server.Name(t, ".py"), text)
		got, args := "", dict{"path": path, "maxCellData": 300}
		for range 3 {
			var piece document.TextResult
			r.Good("read_nb_cells", args, &piece)
			got += piece.Content
			if piece.Cursor == "" {
				break
			}
			args["cursor"] = piece.Cursor
		}
		test.Eq(t, text, got)
		r.Good("edit_text", dict{"path": path, "old_text": "line\n", "new_text": "first\n", "occurrence": 1}, nil)
		r.Bad("read_nb_cells", dict{"path": path, "ranges": []dict{at(0)}}, "which has no cells")
		r.Bad("read_nb_cells", dict{"path": path, "outline": true}, "which has no cells")
		r.Bad("read_nb_cells", dict{"path": path, "cursor": "none"}, "unknown cursor")
		r.Bad("read_nb_cells", dict{"path": "absent.py"}, "absent.py")
		r.Bad("read_nb_cells", dict{"path": "/"}, "root folder")
		r.Bad("read_nb_cells", dict{"path": "../../etc/passwd"}, `".."`)
	})
}
