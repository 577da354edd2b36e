package tool

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// file is a document whose file has something to be said of once.
type file struct{ unsaved, overwritten, tabs string }

func (f *file) Path() jupyter.Path { return jupyter.MustPath("a.ipynb") }
func (f *file) Unsaved() string    { return f.unsaved }
func (f *file) Away() string       { return "" }
func (f *file) Tabs() string       { return f.tabs }

func (f *file) Overwritten() string {
	said := f.overwritten
	f.overwritten = ""
	return said
}

// What the document has to say of its file stands in the answer beside the tool's own result, and is asked for once.
func TestAnswerCarriesTheNote(t *testing.T) {
	body := map[string]string{"message": "m"}
	a := &Answer{Body: body, Doc: &file{"p", "o", "t"}}
	for range 2 {
		got, err := a.encode()
		if want := `{"message":"m","saved":false,"save_problem":"p","tabs":"t","overwritten":"o"}`; err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	if got, err := (&Answer{Body: body, Doc: &file{}}).encode(); err != nil || string(got) != `{"message":"m"}` {
		t.Errorf("with nothing to say: %s, %v", got, err)
	}
}
