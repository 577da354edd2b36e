package document_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A percent-encoded path is decoded, an address is not taken for a path, and hidden names are reported as hidden.
func TestPathsOfAddresses(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		book := r.Server.Write(t, r.Server.Name(t, " é.ipynb"), toolstest.Book("a:x = 1"))
		text := r.Server.Write(t, r.Server.Name(t, " é.md"), "some text")
		escape := strings.NewReplacer(" ", "%20", "é", "%C3%A9")
		cells := r.Sources(escape.Replace(book))
		must.SliceLen(t, 1, cells)
		test.Eq(t, "x = 1", cells[0])
		if got := r.Content(escape.Replace(text)); got.Content != "some text" {
			t.Errorf("the text is %q", got.Content)
		}
		for _, tool := range []string{"read_nb_cells", "get_document_content", "delete_document"} {
			if tool != "read_nb_cells" { // it takes the URL, see TestPathIsAnAddress
				r.Bad(tool, toolstest.Dict{"path": r.Server.URL + "/lab/tree/" + escape.Replace(book)}, "is a URL, not a path", "nb_path_from_url")
			}
			r.Bad(tool, toolstest.Dict{"path": ".hidden/a.ipynb"}, "begin with a dot", `".hidden"`)
			r.Bad(tool, toolstest.Dict{"path": strings.Repeat("x", 300) + ".ipynb"}, "has 306 bytes, at most 255")
			r.Bad(tool, toolstest.Dict{"path": "no%20such.ipynb"}, `"no%20such.ipynb"`)
		}
	})
}
