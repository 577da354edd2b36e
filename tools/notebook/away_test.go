package notebook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// While the Jupyter server is away, reads say so, refused writes say that nothing was done, and the first call after its
// return succeeds.
func TestServerIsAway(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		s := jupytertest.Shared(t)
		cable := jupytertest.NewCable(t, s)
		r := toolstest.NewOn(t, cable.Server)
		path := s.Notebook(t, "x = 1", "y = 2")
		r.Read(path)
		insert := toolstest.Dict{"path": path, "position": 0, "cells": []toolstest.Dict{{"type": "code", "content": "never = True"}}}
		cable.Cut()
		time.Sleep(time.Second)
		read := toolstest.MessageOf(r.Call("read_nb_cells", toolstest.Dict{"path": path}))
		test.StrContains(t, read, `"server_away":"the Jupyter server has been away since 00:00:`, test.Sprint("read"))
		test.StrContains(t, read, "x = 1", test.Sprint("read"))
		for name, args := range map[string]toolstest.Dict{
			"insert_nb_cells":  insert,
			"modify_nb_cells":  {"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "never = True"}}},
			"delete_nb_cells":  {"path": path, "ranges": []toolstest.Dict{{"start": 0}}},
			"execute_nb_cells": {"path": path, "ranges": []toolstest.Dict{{"start": 0}}},
		} {
			began := time.Now()
			res := r.Call(name, args)
			text := toolstest.MessageOf(res)
			test.True(t, res.IsError, test.Sprint(name))
			test.False(t, !strings.Contains(text, "not made") && !strings.Contains(text, "nothing was done"), test.Sprint(name))
			if took := time.Since(began); took > 62*time.Second {
				t.Errorf("%s: answered after %s", name, took)
			}
		}
		cable.Mend()
		r.Read(path)
		cable.Stall()
		time.Sleep(10 * time.Second)
		began := time.Now()
		if text := toolstest.MessageOf(r.Call("get_nb_stat", toolstest.Dict{"path": path})); !strings.Contains(text, "not asked: the Jupyter server") {
			t.Errorf("get_nb_stat: %s", text)
		}
		if took := time.Since(began); took > 62*time.Second {
			t.Errorf("get_nb_stat waits twice: %s", took)
		}
		cable.Mend()
		text := toolstest.MessageOf(r.Call("read_nb_cells", toolstest.Dict{"path": path}))
		test.StrNotContains(t, text, "server_away", test.Sprint("when it is back"))
		test.StrNotContains(t, text, "never", test.Sprint("when it is back"))
		insert["cells"] = []toolstest.Dict{{"type": "code", "content": "after = True"}}
		r.Good("insert_nb_cells", insert, nil)
		text = toolstest.MessageOf(r.Call("read_nb_cells", toolstest.Dict{"path": path}))
		test.StrContains(t, text, "after = True", test.Sprint("after it"))
		test.StrNotContains(t, text, "never", test.Sprint("after it"))
	})
}
