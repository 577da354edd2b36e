package analysis

import (
	"fmt"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

func TestPathsOfANotebooksName(t *testing.T) {
	for name, want := range map[string]string{
		"a": "d/a.ipynb a.ipynb", "a.ipynb": "d/a.ipynb a.ipynb", "/a": "a.ipynb", "d/a": "d/a.ipynb", "a.md": "d/a.md.ipynb a.md.ipynb", "./a": "a.ipynb", "...": "d/....ipynb ....ipynb",
	} {
		got, err := notebookPaths("name", name, jupyter.MustPath("d/own.ipynb"))
		must.NoError(t, err, must.Sprint(name))
		test.Eq(t, "["+want+"]", fmt.Sprint(got), test.Sprint(name))
	}
}
