package seeds

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Seed 003: values and data, which need a real kernel.
func checkVariables(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	p.good("execute_code", dict{"session_id": session, "code": `
import numpy as np, pandas as pd
df = pd.DataFrame({'id': range(1000), 'value': np.arange(1000) / 2, 'name': 'A', 'when': pd.Timestamp('2024-01-01'), 'kind': 'X'})
x = 42
words, items, array, table = 'some words' * 100, [1, 2, 3], np.zeros((3, 4)), {'a': 1}
class Model: pass
model = Model()
model.coef_ = [1.5]`})
	all := p.good("get_variables", dict{"session_id": session})
	variable := func(name string) any { return find(list(all.JSON, "variables"), "name", name) }
	c.row("003.062", text(variable("df"), "type") == "DataFrame" && text(variable("model"), "type") == "Model", all.Raw)
	c.row("003.063", text(variable("df"), "size") == "1000 rows × 5 cols", all.Raw)
	c.row("003.064", number(variable("x"), "value") == 42, all.Raw)
	c.row("003.065", text(variable("model"), "size") != "", all.Raw)
	sized := true
	for _, name := range []string{"words", "items", "array", "table"} {
		sized = sized && text(variable(name), "size") != ""
	}
	c.row("003.066", sized, all.Raw)
	c.row("003.067", strings.Contains(fmt.Sprint(at(p.good("get_variable", dict{"session_id": session, "variable_name": "items"}).JSON, "value")), "[1, 2, 3]"))
	detail := p.good("get_variable", dict{"session_id": session, "variable_name": "df"})
	c.row("003.068", has(at(detail.JSON, "dataframe"), "shape", "columns", "dtypes", "head", "describe"), detail.Raw)
	frame := func(more dict) answer {
		args := dict{"session_id": session, "variable_name": "df"}
		for k, v := range more {
			args[k] = v
		}
		return p.good("get_dataframe_info", args)
	}
	info := frame(nil)
	c.row("003.069", fmt.Sprint(list(info.JSON, "shape")) == "[1000 5]" && fmt.Sprint(list(info.JSON, "columns")) == "[id value name when kind]" && text(info.JSON, "dtypes.id") == "int64" && len(list(info.JSON, "head")) == 5, info.Raw)
	c.row("003.070", number(info.JSON, "describe.value.count") == 1000 && has(at(info.JSON, "describe.value"), "mean", "std", "min", "max"), info.Raw)
	c.row("003.071", !has(frame(dict{"include_head": false}).JSON, "head"))
	c.row("003.072", len(list(frame(dict{"head_rows": 7}).JSON, "head")) == 7)
	c.row("003.073", p.call("get_dataframe_info", dict{"session_id": session, "variable_name": "x"}).Failed)

	folder := "data of " + c.Server.Name(c, "")
	if err := os.MkdirAll(filepath.Join(c.Server.Root, folder), 0o700); err != nil {
		c.Fatal(err)
	}
	at0 := filepath.Join(c.Server.Root, folder, "d")
	p.good("execute_code", dict{"session_id": session, "code": fmt.Sprintf("few = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})\nfew.to_csv(%[1]q + '.csv', index=False)\nfew.to_excel(%[1]q + '.xlsx', index=False)\nfew.to_parquet(%[1]q + '.parquet')", at0)})
	for row, ext := range map[string]string{"003.074": "csv", "003.075": "xlsx", "003.076": "parquet"} {
		preview := p.good("preview_data", dict{"path": folder + "/d." + ext})
		c.row(row, fmt.Sprint(list(preview.JSON, "columns")) == "[a b]", preview.Raw)
	}
}
