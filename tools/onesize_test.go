package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// The listed tools have one name for the limit of shown text, and so do their texts; the names of the contracts are listed
// with the contract's tools, and all names work everywhere.
func TestOneNameOfTheLimit(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "print('"+strings.Repeat("long ", 100)+"')")
		words := r.Connect(tools.Config{Work: r.Work})
		defer words.Close()
		limited := 0
		for name, one := range listedBy(t, words) {
			b, err := json.Marshal(one)
			must.NoError(t, err)
			test.StrNotContains(t, string(b), "maxCell", test.Sprint(name))
			limited += strings.Count(string(b), `"max_chars":{`)
		}
		test.Eq(t, 8, limited)
		contract := r.Connect(tools.Config{Work: r.Work, Toolsets: []string{tool.ToolsetRTCMCP}})
		defer contract.Close()
		list := listedBy(t, contract)
		for name, limit := range map[string]string{"read_nb_cells": "maxCellData", "execute_nb_cells": "maxCellOutputSize"} {
			b, err := json.Marshal(list[name])
			must.NoError(t, err)
			test.StrContains(t, string(b), limit)
			test.StrNotContains(t, string(b), "max_chars")
		}
		for _, limit := range []string{"max_chars", "maxCellData", "maxCellOutputSize"} {
			for i, c := range []toolstest.Dict{{}, {"ranges": []toolstest.Dict{{"start": 0}}}} {
				c["path"], c[limit] = path, 100
				name := []string{"read_nb_cells", "execute_nb_cells"}[i]
				test.StrContains(t, toolstest.MessageOf(r.CallAs(words, name, c)), "characters left out", test.Sprint(name, limit))
				test.StrContains(t, toolstest.MessageOf(r.CallAs(contract, name, c)), "characters left out", test.Sprint(name, limit))
			}
		}
		for _, c := range []*client.Client{words, contract} {
			r.CallAs(c, "read_nb_cells", toolstest.Dict{"path": path})
		}
		bad := toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "a\n… [9 characters left out] …\nb"}}}
		test.StrContains(t, toolstest.MessageOf(r.CallAs(words, "modify_nb_cells", bad)), "read the cell with a larger max_chars")
		test.StrContains(t, toolstest.MessageOf(r.CallAs(contract, "modify_nb_cells", bad)), "read the cell with a larger maxCellData")
		bad = toolstest.Dict{"path": path, "maxCellData": 0}
		test.StrContains(t, toolstest.MessageOf(r.CallAs(words, "read_nb_cells", bad)), "max_chars")
	})
}
