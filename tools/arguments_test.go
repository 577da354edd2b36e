package tools

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/tools/tool"
)

// Refusals name the argument, the value and the allowed values.
func TestArgumentsRefused(t *testing.T) {
	byName := map[string]tool.Tool{}
	for _, d := range Definitions() {
		byName[d.Name] = d
	}
	type object = map[string]any
	type list = []any
	for _, c := range []struct {
		tool string
		args any
		says string // "" for accepted
	}{
		{"get_base_url", nil, ""},
		{"get_base_url", object{"path": "x"}, `this tool has no argument "path": it takes none`},
		{"get_base_url", list{}, "the argument object is a list, wanted object"},
		{"list_nbs", object{}, ""},
		{"list_nbs", object{"path": 5.0}, "path is 5, wanted string"},
		{"get_nb_stat", object{}, `the required argument "path" is missing`},
		{"get_nb_stat", object{"path": ""}, "path has 0 characters, at least 1 needed"},
		{"get_nb_stat", object{"path": nil}, "path is null, wanted string"},
		{"get_nb_stat", object{"path": strings.Repeat("é", 10_000)}, "path has 10,000 characters, at most 4,096 allowed"},
		{"read_nb_cells", object{"path": "a", "ranges": object{"start": 0.0}}, "ranges is an object, wanted array"},
		{"read_nb_cells", object{"path": "a", "ranges": list{}}, "ranges is a list of 0, at least 1 needed"},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"id": ""}}}, "ranges[0].id has 0 characters"},
		{"modify_nb_cells", object{"path": "a", "modifications": list{object{"content": ""}}}, `modifications[0] lacks "range"`},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": "0"}}}, ""},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": "first"}}}, `ranges[0].start is the string "first", wanted integer`},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": 0.5}}}, "ranges[0].start is 0.5, wanted integer"},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": 0.0, "stop": 1.0}}}, `ranges[0] has no argument "stop": it takes start, end, id`},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": 1e300}}}, "ranges[0].start is a number over 1,000,000,000,000,000, the maximum is 1,000,000"},
		{"read_nb_cells", object{"path": "a", "ranges": list{object{"start": -1e300}}}, "ranges[0].start is a number under -1,000,000,000,000,000, the minimum is 0"},
		{"read_nb_cells", object{"path": "a", "maxCellData": 0.0}, "maxCellData is 0, the minimum is 1"},
		{"read_nb_cells", object{"path": "a", "maxCellData": 1e9}, "maxCellData is 1,000,000,000, the maximum is 100,000"},
		{"read_nb_cells", object{"path": "a", "max_cell_data": 5.0}, `this tool has no argument "max_cell_data" (did you mean "maxCellData"?): it takes path, ranges, outline, cursor, maxCellData`},
		{"insert_nb_cells", object{"path": "a", "position": 0.0, "cells": list{object{"type": "text", "content": ""}}}, `cells[0].type is the string "text", wanted one of "code", "markdown", "raw"`},
		{"insert_nb_cells", object{"path": "a", "position": 0.0, "cells": list{object{"content": ""}}, "exec": "yes"}, `exec is the string "yes", wanted boolean`},
		{"insert_nb_cells", object{"path": "a", "position": 0.0, "cells": list{object{"content": ""}}, "timeout": 0.0}, "timeout is 0, it must be more than 0"},
		{"insert_nb_cells", object{"path": "a", "position": 0.0, "cells": list{object{"content": strings.Repeat("x", tool.MaxSource+1)}}}, "cells[0].content has 1,000,001 characters, at most 1,000,000 allowed"},
		// Negative indexes are left to the tool, which knows the number of cells.
		{"insert_nb_cells", object{"path": "a", "position": -1.0, "cells": list{object{"content": ""}}}, ""},
		{"delete_nb_cells", object{"path": "a", "ranges": list{object{"start": -1.0}}}, ""},
		{"delete_nb_cells", object{"ranges": 1.0, "x": 1.0}, "; "},
	} {
		d := byName[c.tool]
		s, err := d.Input.Compile(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tool.Arguments(s, c.args)
		switch {
		case err == nil && c.says != "":
			t.Errorf("%s accepts %v", c.tool, c.args)
		case err != nil && (c.says == "" || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %q does not say %q", c.tool, err, c.says)
		}
	}
}
