package tools_test

import (
	"regexp"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// alreadyThere matches refusals of an existing path.
var alreadyThere = regexp.MustCompile(`exist|already`)

// A tool that makes a new file never replaces an existing one, however often it is called.
func TestNewFilesReplaceNone(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		r := toolstest.New(t)
		other := r.Server.Notebook(t, "other")
		for tool, args := range map[string]func(p *positions) toolstest.Dict{
			"notebook_create": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"session_id": r.Create(toolstest.Dict{"notebook_path": other}).ID, "name": p.path}
			},
			"notebook_import": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": p.path, "content": "<!-- srcbook:{\"language\":\"python\"} -->\n\n# new\n"}
			},
			"notebook_from_template": func(p *positions) toolstest.Dict { return toolstest.Dict{"path": p.path, "pattern": "clean_data"} },
			"create_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": p.path, "type": "notebook"}
			},
			"copy_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": other, "copyPath": p.path}
			},
			"rename_document": func(p *positions) toolstest.Dict {
				return toolstest.Dict{"path": other, "newPath": p.path}
			},
		} {
			p := &positions{Rig: r, path: r.Server.Notebook(t, "a = 1", "b = 2\n# b")}
			p.typesLine("b = typed")
			given := args(p)
			for range 2 {
				res := p.Call(tool, given)
				said := toolstest.MessageOf(res)
				test.True(t, res.IsError, test.Sprint(tool))
				test.True(t, alreadyThere.MatchString(said), test.Sprint(tool))
				if p.cell("c1") != "b = typed\n# b" {
					t.Errorf("%s: the cell is %q", tool, p.cell("c1"))
				}
			}
		}
	})
}
