package resource_test

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A prompt contains its arguments and names existing tools. If an argument is wrong, the error has the code for that.
func TestPrompts(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		nb := c.Server.Notebook(t, "1", "1/0")
		data := c.Server.Write(t, c.Server.Name(t, "-sales é.csv"), "a,b\n1,2\n")
		list, err := c.Client.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
		must.NoError(t, err)
		must.SliceLen(t, 6, list.Prompts)
		for _, p := range list.Prompts {
			test.NotEq(t, "", p.Title)
			test.NotEq(t, "", p.Description)
			test.SliceNotEmpty(t, p.Arguments)
			for _, a := range p.Arguments {
				if a.Description == "" {
					t.Errorf("%s: %+v", p.Name, a)
				}
			}
		}
		for _, p := range []struct {
			name string
			args map[string]string
			says []string
		}{
			{"work_together", map[string]string{"path": nb, "task": "plot the counts"}, []string{"`look_around`", "busy_human", nb, "plot the counts"}},
			{"work_together", nil, []string{"`look_around`", "where I am"}},
			{"explore_dataset", map[string]string{"file": "/" + data, "question": "which month is best?"}, []string{data, "which month is best?", strings.TrimSuffix(data, ".csv") + "-exploration.ipynb"}},
			{"explore_dataset", map[string]string{"file": data}, []string{"preview_data"}},
			{"review_notebook", map[string]string{"path": nb, "focus": "statistics"}, []string{nb, "statistics"}},
			{"review_notebook", map[string]string{"path": nb}, []string{"top to bottom"}},
			{"fix_failing_cell", map[string]string{"path": nb}, []string{nb, "the first cell with an error"}},
			{"fix_failing_cell", map[string]string{"path": nb, "cell": "c1"}, []string{"cell c1"}},
			{"continue_work", nil, []string{"No earlier session is recorded"}},
		} {
			text, err := c.Prompt(p.name, p.args)
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
			for _, want := range p.says {
				if !strings.Contains(text, want) {
					t.Errorf("%s does not say %q:\n%s", p.name, want, text)
				}
			}
			for _, tool := range tools.Definitions() { // the named tools must exist
				text = strings.ReplaceAll(text, tool.Name, "")
			}
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z') }) {
				if strings.Contains(word, "_") && !slices.Contains([]string{"notebook_path", "next_cursor", "run_id", "after_id", "user_asked", "busy_human", "hands_off", "stopped_by", "notebook_suspect", "ask_to_run"}, word) {
					t.Errorf("%s names %q, which is no tool", p.name, word)
				}
			}
		}
		c.Good("read_nb_cells", toolstest.Dict{"path": nb}, nil)
		c.Good("record_context", toolstest.Dict{"topics": []string{"tax"}, "discovery": "prices\nare net", "solution": "multiply"}, nil)
		text, err := c.Prompt("continue_work", map[string]string{"goal": "the report"})
		for _, want := range []string{"the report", "- topic: tax\n", "- found: prices are net (solved: multiply)\n", "- file: " + nb + " (1 call)\n"} {
			must.NoError(t, err)
			test.StrContains(t, text, want)
		}
		for _, bad := range []struct {
			name string
			args map[string]string
			want string
		}{
			{"explore_dataset", nil, "file"},
			{"explore_dataset", map[string]string{"file": "none.csv"}, "none.csv"},
			{"explore_dataset", map[string]string{"file": "../none.csv"}, "none.csv"},
			{"explore_dataset", map[string]string{"file": path.Dir(c.Server.Write(t, c.Server.Name(t, "-dir")+"/a.csv", ""))}, "folder"},
			{"review_notebook", map[string]string{"path": data}, "not a notebook"},
			{"work_together", map[string]string{"path": data}, "not a notebook"},
			{"fix_failing_cell", map[string]string{"path": " "}, "path"},
			{"no_such_prompt", nil, "no_such_prompt"},
		} {
			if text, err := c.Prompt(bad.name, bad.args); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("%s %v: %q, %v", bad.name, bad.args, text, err)
			} else if !errors.Is(err, mcp.ErrInvalidParams) {
				t.Errorf("%s %v: %v does not say that the arguments are wrong", bad.name, bad.args, err)
			}
		}
	})
}

func TestPromptCompletions(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		c := toolstest.NewContextRig(t)
		dir := c.Server.Name(t, "-dir")
		nb := c.Server.Write(t, dir+"/one.ipynb", c.Server.Read(t, c.Server.Notebook(t, "1", "1/0")))
		data := c.Server.Write(t, dir+"/data.CSV", "a\n")
		c.Server.Write(t, dir+"/sub/x.txt", "")
		c.Good("execute_nb_cells", toolstest.Dict{"path": nb, "ranges": []toolstest.Dict{{"start": 1}}}, nil)
		for _, q := range []struct {
			name, argument, written string
			given                   map[string]string
			want                    []string
		}{
			{"review_notebook", "path", dir + "/", nil, []string{nb, dir + "/sub/"}},
			{"review_notebook", "path", dir + "/o", nil, []string{nb}},
			{"explore_dataset", "file", dir + "/", nil, []string{data, dir + "/sub/"}},
			{"explore_dataset", "question", "", nil, nil},
			{"review_notebook", "path", "no such folder/", nil, nil},
			{"review_notebook", "focus", "c", nil, []string{"correctness", "clarity"}},
			{"fix_failing_cell", "cell", "", map[string]string{"path": nb}, []string{"c1"}},
			{"fix_failing_cell", "cell", "", nil, nil},
		} {
			if got := c.Complete(q.name, q.argument, q.written, q.given); !slices.Equal(got, q.want) {
				t.Errorf("%s %s %q: %q, want %q", q.name, q.argument, q.written, got, q.want)
			}
		}
		var req mcp.CompleteRequest
		req.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: analysis.FileScheme + "{session_id}/files/{+path}"}
		req.Params.Argument = mcp.CompleteArgument{Name: "path", Value: dir + "/"}
		res, err := c.Client.Complete(t.Context(), req)
		must.NoError(t, err, must.Sprint("files"))
		test.SliceEqOp(t, []string{data, nb, dir + "/sub/"}, res.Completion.Values, test.Sprint("files"))
		if !slices.Contains(c.Complete("review_notebook", "path", dir[:len(dir)-1], nil), dir+"/") {
			t.Error("a folder is not completed")
		}
	})
}
