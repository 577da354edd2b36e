package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/listcache"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// byDefault returns a rig with a client of the default tools.
func byDefault(t *testing.T) *toolstest.Rig {
	t.Helper()
	r := *toolstest.New(t)
	r.Client = r.Connect(tools.Config{Work: r.Work, Version: "test"})
	t.Cleanup(func() { must.NoError(t, r.Client.Close()) })
	return &r
}

// The path of a core tool may be the document's address in JupyterLab; the answer has the path, and nothing has the token.
func TestPathIsAnAddress(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := byDefault(t)
		path := r.Server.Notebook(t, "x = 1")
		address := r.Server.URL + "/lab/tree/" + path + "?token=secret"
		said := toolstest.MessageOf(r.Good("read_nb_cells", toolstest.Dict{"path": address}, nil))
		test.StrContains(t, said, "path taken as "+path)
		test.StrContains(t, said, "x = 1")
		test.StrNotContains(t, said, "secret")
		r.Bad("read_nb_cells", toolstest.Dict{"path": "https://elsewhere.example/lab/tree/" + path}, "belongs to another server")
		r.Bad("read_nb_cells", toolstest.Dict{"path": r.Server.URL + "/lab?token=secret"}, "names no file")
	})
}

// A file name without its folder is taken for the one document of that name, or refused with all of that name.
func TestPathWithoutItsFolder(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := byDefault(t)
		path := r.Server.Notebook(t, "x = 1")
		name := "only-" + path
		folder := strings.TrimSuffix(path, ".ipynb")
		r.Server.Write(t, folder+"/a/"+name, r.Server.Read(t, path))
		said := toolstest.MessageOf(r.Good("read_nb_cells", toolstest.Dict{"path": name}, nil))
		test.StrContains(t, said, "path taken as "+folder+"/a/"+name)
		r.Good("edit_text", toolstest.Dict{"path": name, "old_text": "x = 1", "new_text": "x = 2"}, nil)
		r.Server.Write(t, folder+"/b/"+name, r.Server.Read(t, path))
		must.Eq(t, 2, strings.Count(r.Server.Read(t, folder+"/b/"+name), "x"))
		time.Sleep(listcache.For) // the folders were listed
		r.Bad("read_nb_cells", toolstest.Dict{"path": name}, folder+"/a/"+name, folder+"/b/"+name, "give one of these paths")
		r.Bad("read_nb_cells", toolstest.Dict{"path": "absent-" + name}, "no notebook")
	})
}
