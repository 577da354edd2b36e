package tool

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// file is a document whose notes about its file are returned once.
type file struct{ unsaved, overwritten, tabs string }

func (f *file) Path() jupyter.Path { return jupyter.MustPath("a.ipynb") }
func (f *file) Unsaved() string    { return f.unsaved }
func (f *file) Away() string       { return "" }
func (f *file) Tabs() string       { return f.tabs }
func (f *file) Older() string      { return "" }

func (f *file) Overwritten() string {
	said := f.overwritten
	f.overwritten = ""
	return said
}

// The document's notes about its file are in the answer beside the tool's own result, and are requested once.
func TestAnswerCarriesTheNote(t *testing.T) {
	body := map[string]string{"message": "m"}
	a := &Answer{Body: body, Doc: &file{"p", "o", "t"}}
	for range 2 {
		got, err := a.encode()
		want := `{"message":"m","saved":false,"save_problem":"p","tabs":"t","overwritten":"o"}`
		must.NoError(t, err)
		test.Eq(t, want, string(got))
	}
	got, err := (&Answer{Body: body, Doc: &file{}}).encode()
	must.NoError(t, err, must.Sprint("with nothing to say"))
	test.Eq(t, `{"message":"m"}`, string(got), test.Sprint("with nothing to say"))
}
