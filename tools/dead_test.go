package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// Consecutive calls to a server that is away: the first waits for it, the others answer within a second, and the first one
// after its return succeeds.
func TestCallsInARowToADeadServer(t *testing.T) {
	for name, begin := range map[string]func(*jupytertest.Cable){"cut": (*jupytertest.Cable).Cut, "stalled": (*jupytertest.Cable).Stall} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				cable := jupytertest.NewCable(t, s)
				r := toolstest.NewWithTimeout(t, cable.Server, session.DefaultServerTimeout)
				r.Who = (&tool.Clients{}).Enter()
				path, other := s.Notebook(t, "x = 1", "y = 2"), s.Notebook(t, "z = 3")
				text := r.TextFile("a line\n")
				r.Read(path)
				alone := r.Create(nil).ID
				r.Execute(alone, "1")
				with := r.Create(toolstest.Dict{"notebook_path": path}).ID
				r.Execute(with, "1")
				r.Said("use_notebook", toolstest.Dict{"notebook_name": "nb", "notebook_path": path})
				time.Sleep(20 * time.Second)
				begin(cable)
				calls := []struct {
					tool string
					args toolstest.Dict
				}{
					{"modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "c0"}, "content": "never = True"}}}},
					{"read_nb_cells", toolstest.Dict{"path": path}},
					{"execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}},
					{"insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"content": "never = True"}}}},
					{"get_nb_stat", toolstest.Dict{"path": path}},
					{"read_nb_cells", toolstest.Dict{"path": other}},
					{"list_nbs", toolstest.Dict{}},
					{"delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}},
					{"get_document_content", toolstest.Dict{"path": text}},
					{"create_document", toolstest.Dict{"path": "never.ipynb"}},
					{"rename_document", toolstest.Dict{"path": text, "newPath": "never.md"}},
					{"list_documents", toolstest.Dict{}},
					{"execute_code", toolstest.Dict{"session_id": alone, "code": "1"}},
					{"execute_code", toolstest.Dict{"session_id": with, "code": "1"}},
					{"execute_code", toolstest.Dict{"code": "1"}},
					{"session_create", toolstest.Dict{}},
					{"get_variables", toolstest.Dict{"session_id": alone}},
					{"restart_nb_kernel", toolstest.Dict{"path": path}},
					{"inspect_data", toolstest.Dict{"path": path}},
					{"list_kernels", toolstest.Dict{}},
					{"read_cell", toolstest.Dict{"cell_index": 0}},
					{"insert_cell", toolstest.Dict{"cell_index": 0, "cell_type": "code", "cell_source": "never = True"}},
					{"execute_cell", toolstest.Dict{"cell_index": 0}},
					{"interrupt_execution", toolstest.Dict{"session_id": with}},
					{"move_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}, "position": 2}},
					{"clear_cell_output", toolstest.Dict{"cell_index": 0}},
					{"copy_document", toolstest.Dict{"path": text, "copyPath": "never.md"}},
					{"delete_document", toolstest.Dict{"path": text}},
					{"edit_text", toolstest.Dict{"path": text, "old_text": "a line", "new_text": "never"}},
					{"overwrite_document", toolstest.Dict{"path": text, "content": "never", "force": true}},
					{"get_document_info", toolstest.Dict{"path": text}},
					{"query_nb_sessions", toolstest.Dict{}},
					{"list_available_kernels", toolstest.Dict{}},
					{"file_list", toolstest.Dict{"session_id": with}},
					{"file_read", toolstest.Dict{"session_id": with, "path": text}},
					{"read_notebook", toolstest.Dict{"notebook_name": "nb"}},
					{"list_cells", toolstest.Dict{}},
					{"read_cells", toolstest.Dict{}},
					{"restart_notebook", toolstest.Dict{"notebook_name": "nb"}},
					{"notebook_get", toolstest.Dict{"session_id": with}},
					{"session_list", toolstest.Dict{}},
				}
				for round := range 2 {
					for i, call := range calls {
						most := time.Second
						if round+i == 0 {
							most = session.DefaultServerTimeout
						}
						began := time.Now()
						res := r.Call(call.tool, call.args)
						took := time.Since(began)
						if took > most {
							t.Errorf("%s: answered after %s: %s", call.tool, took, toolstest.MessageOf(res))
						}
						if text := toolstest.MessageOf(res); strings.Contains(text, "invalid arguments") {
							t.Errorf("%s is not called: %s", call.tool, text)
						}
					}
					time.Sleep(time.Duration(round) * 5 * time.Minute)
				}
				cable.Mend()
				began := time.Now()
				r.Good("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "exec": false, "cells": []toolstest.Dict{{"content": "after = True"}}}, nil)
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("the first call after its return: %s", took)
				}
				r.Good("read_nb_cells", toolstest.Dict{"path": other}, nil)
				r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
				if text := toolstest.MessageOf(r.Call("read_nb_cells", toolstest.Dict{"path": path})); strings.Contains(text, "server_away") {
					t.Errorf("at last: %s", text)
				}
			})
		})
	}
}
