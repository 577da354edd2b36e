package notebook_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Edits of a source with Windows line ends, by clients that write "\n", leave unchanged lines alone.
func TestLineEndsStay(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), toolstest.Book("aaaaaaaa:import os\r\ntry:\r\n\tpass\r\nexcept OSError:\r\n\tpass\r\n"))
		r.Read(path)
		var edited document.EditTextResult
		r.Good("edit_text", toolstest.Dict{"path": path, "old_text": "try:\n\tpass", "new_text": "try:\n\tprint(1)"}, &edited)
		test.False(t, edited.Merged)
		test.Eq(t, "import os\r\ntry:\r\n\tprint(1)\r\nexcept OSError:\r\n\tpass\r\n", r.Sources(path)[0])
		for _, last := range []string{"x", "y"} {
			var changed notebook.ModifyResult
			r.Good("modify_nb_cells", toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{
				"range": toolstest.Dict{"start": 0}, "content": "import os\ntry:\n\tprint(1)\nexcept OSError:\n\t" + last + "\n",
			}}}, &changed)
			test.SliceEmpty(t, changed.Merged)
			test.Eq(t, "import os\r\ntry:\r\n\tprint(1)\r\nexcept OSError:\r\n\t"+last+"\r\n", r.Sources(path)[0])
		}
	})
}
