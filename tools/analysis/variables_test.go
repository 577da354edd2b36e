package analysis_test

import (
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/inspect"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestAC3Variables(t *testing.T) {
	jupytertest.NeedsReal(t, "a kernel's own values")
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		id := r.Create(nil).ID
		r.Execute(id, "import pandas as pd\ndf = pd.DataFrame({'id': [1, 2], 'name': ['A', None]})\nx = 42\nclass Model: pass\nmodel = Model(); model.coef_ = [1.5]")
		var listed inspect.Listing
		r.Good("get_variables", toolstest.Dict{"session_id": id}, &listed)
		b, err := tool.Compact(listed)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(b); got != `{"variables":[{"name":"df","type":"DataFrame","size":"2 rows × 2 cols"},{"name":"model","type":"Model","size":"1 attribute"},{"name":"x","type":"int","value":42}],"total":3}` {
			t.Errorf("%s", got)
		}
		r.Good("get_variables", toolstest.Dict{"session_id": id, "offset": 1, "limit": 1, "include_all": true}, &listed)
		must.SliceLen(t, 1, listed.Variables)
		test.Eq(t, "df", listed.Variables[0].Name)
		test.Eq(t, 5, listed.Total)

		var frame inspect.Frame
		r.Good("get_dataframe_info", toolstest.Dict{"session_id": id, "variable_name": "df"}, &frame)
		test.SliceEqOp(t, []string{"id", "name"}, frame.Columns)
		test.Eq(t, `[{"id":1,"name":"A"},{"id":2,"name":null}]`, string(frame.Head))
		test.Eq(t, `{"id":0,"name":1}`, string(frame.Missing))
		frame = inspect.Frame{}
		r.Good("get_dataframe_info", toolstest.Dict{"session_id": id, "variable_name": "df", "include_head": false}, &frame)
		if frame.Head != nil {
			t.Errorf("%s", frame.Head)
		}
		frame = inspect.Frame{}
		r.Good("get_dataframe_info", toolstest.Dict{"session_id": id, "variable_name": "df", "head_rows": 1}, &frame)
		if string(frame.Head) != `[{"id":1,"name":"A"}]` {
			t.Errorf("%s", frame.Head)
		}

		var detail inspect.Detail
		r.Good("get_variable", toolstest.Dict{"session_id": id, "variable_name": "df"}, &detail)
		must.NotNil(t, detail.Frame)
		test.NotEq(t, "", string(detail.Frame.Head))
		detail = inspect.Detail{}
		r.Good("get_variable", toolstest.Dict{"session_id": id, "variable_name": "model"}, &detail)
		must.SliceLen(t, 1, detail.Attributes)
		test.Eq(t, "coef_", detail.Attributes[0].Name)
		test.Eq(t, "__main__", detail.Module)
		r.Good("get_variable", toolstest.Dict{"session_id": id, "variable_name": "model.coef_"}, &detail)
		if string(detail.Value) != `"[1.5]"` {
			t.Errorf("%+v", detail)
		}

		for _, name := range []string{"get_variable", "get_dataframe_info"} {
			r.Refused(r.Client, name, toolstest.Dict{"session_id": id, "variable_name": "nope"}, "variable_not_found", "nope", "get_variables")
			r.Refused(r.Client, name, toolstest.Dict{"session_id": id, "variable_name": "exit()"}, "invalid_variable_name", `"exit()"`)
			r.Refused(r.Client, name, toolstest.Dict{"session_id": "none", "variable_name": "x"}, "session_not_found")
		}
		r.Refused(r.Client, "get_variables", toolstest.Dict{"session_id": "none"}, "session_not_found")
		r.Refused(r.Client, "get_dataframe_info", toolstest.Dict{"session_id": id, "variable_name": "x"}, "not_a_dataframe", "int")

		// Two simultaneous reads are both answered; a busy kernel is not waited for.
		answers := make(chan error, 2)
		for range 2 {
			go func() {
				var out inspect.Listing
				r.Good("get_variables", toolstest.Dict{"session_id": id}, &out)
				answers <- nil
			}()
		}
		<-answers
		<-answers
		r.GoesOn(id, "import time\nprint('on', flush=True)\ntime.sleep(600)", 2*time.Second)
		r.Refused(r.Client, "get_variables", toolstest.Dict{"session_id": id}, "kernel_busy", "wait_run")
		r.Good("interrupt_execution", toolstest.Dict{"session_id": id}, &analysis.InterruptResult{})
		r.Good("get_variables", toolstest.Dict{"session_id": id}, &listed)
	})
}

func TestVariablesOfAnotherLanguage(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		id := r.Create(toolstest.Dict{"kernel_name": "bash"}).ID
		r.Refused(r.Client, "get_variables", toolstest.Dict{"session_id": id}, "language_not_supported", "bash", "execute_code")
	})
}
