package tools

import (
	"slices"
	"testing"
	"time"

	"github.com/nbduet/nbduet/session/inspect"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/tool"
)

func TestAC3Variables(t *testing.T) {
	r := newRig(t)
	id := r.create(nil).ID
	r.execute(id, "import pandas as pd\ndf = pd.DataFrame({'id': [1, 2], 'name': ['A', None]})\nx = 42\nclass Model: pass\nmodel = Model(); model.coef_ = [1.5]")
	var listed inspect.Listing
	r.good("get_variables", dict{"session_id": id}, &listed)
	b, err := tool.Compact(listed)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(b); got != `{"variables":[{"name":"df","type":"DataFrame","size":"2 rows × 2 cols"},{"name":"model","type":"Model","size":"1 attribute"},{"name":"x","type":"int","value":42}],"total":3}` {
		t.Errorf("%s", got)
	}
	r.good("get_variables", dict{"session_id": id, "offset": 1, "limit": 1, "include_all": true}, &listed)
	if len(listed.Variables) != 1 || listed.Variables[0].Name != "df" || listed.Total != 5 {
		t.Errorf("%+v", listed)
	}

	var frame inspect.Frame
	r.good("get_dataframe_info", dict{"session_id": id, "variable_name": "df"}, &frame)
	if !slices.Equal(frame.Columns, []string{"id", "name"}) || string(frame.Head) != `[{"id":1,"name":"A"},{"id":2,"name":null}]` || string(frame.Missing) != `{"id":0,"name":1}` {
		t.Errorf("%+v", frame)
	}
	frame = inspect.Frame{}
	r.good("get_dataframe_info", dict{"session_id": id, "variable_name": "df", "include_head": false}, &frame)
	if frame.Head != nil {
		t.Errorf("%s", frame.Head)
	}
	frame = inspect.Frame{}
	r.good("get_dataframe_info", dict{"session_id": id, "variable_name": "df", "head_rows": 1}, &frame)
	if string(frame.Head) != `[{"id":1,"name":"A"}]` {
		t.Errorf("%s", frame.Head)
	}

	var detail inspect.Detail
	r.good("get_variable", dict{"session_id": id, "variable_name": "df"}, &detail)
	if detail.Frame == nil || string(detail.Frame.Head) == "" {
		t.Errorf("%+v", detail)
	}
	detail = inspect.Detail{}
	r.good("get_variable", dict{"session_id": id, "variable_name": "model"}, &detail)
	if len(detail.Attributes) != 1 || detail.Attributes[0].Name != "coef_" || detail.Module != "__main__" {
		t.Errorf("%+v", detail)
	}
	r.good("get_variable", dict{"session_id": id, "variable_name": "model.coef_"}, &detail)
	if string(detail.Value) != `"[1.5]"` {
		t.Errorf("%+v", detail)
	}

	for _, name := range []string{"get_variable", "get_dataframe_info"} {
		r.refused(r.client, name, dict{"session_id": id, "variable_name": "nope"}, "variable_not_found", "nope", "get_variables")
		r.refused(r.client, name, dict{"session_id": id, "variable_name": "exit()"}, "invalid_variable_name", `"exit()"`)
		r.refused(r.client, name, dict{"session_id": "none", "variable_name": "x"}, "session_not_found")
	}
	r.refused(r.client, "get_variables", dict{"session_id": "none"}, "session_not_found")
	r.refused(r.client, "get_dataframe_info", dict{"session_id": id, "variable_name": "x"}, "not_a_dataframe", "int")

	// Two looks at once are both answered; a kernel at work is not waited for.
	answers := make(chan error, 2)
	for range 2 {
		go func() {
			var out inspect.Listing
			r.good("get_variables", dict{"session_id": id}, &out)
			answers <- nil
		}()
	}
	<-answers
	<-answers
	r.goesOn(id, "import time\nprint('on', flush=True)\ntime.sleep(600)", 2*time.Second)
	r.refused(r.client, "get_variables", dict{"session_id": id}, "kernel_busy", "wait_run")
	r.good("interrupt_execution", dict{"session_id": id}, &analysis.InterruptResult{})
	r.good("get_variables", dict{"session_id": id}, &listed)
}

func TestVariablesOfAnotherLanguage(t *testing.T) {
	r := newRig(t)
	id := r.create(dict{"kernel_name": "bash"}).ID
	r.refused(r.client, "get_variables", dict{"session_id": id}, "language_not_supported", "bash", "execute_code")
}
