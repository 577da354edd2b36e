package tools_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// An error names an argument only to the callers of tools that take it.
func TestErrorsNameOwnArguments(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for name, takes := range map[string]bool{"list_cells": false, "read_cells": false, "read_cell": true, "delete_cell": true} {
			args := toolstest.Dict{}
			if takes {
				args["cell_index"] = 0
			}
			says := toolstest.MessageOf(r.Call(name, args))
			test.StrContains(t, says, "no notebook is activated", test.Sprint(name))
			test.Eq(t, takes, strings.Contains(says, "give notebook_name"), test.Sprint(name))
		}
		says := toolstest.MessageOf(r.Call("execute_ipython", toolstest.Dict{"code": "1"}))
		test.StrNotContains(t, says, "kernel_id")
		says = toolstest.MessageOf(r.Call("execute_code", toolstest.Dict{"code": "1"}))
		test.StrContains(t, says, "give kernel_id")
	})
}
