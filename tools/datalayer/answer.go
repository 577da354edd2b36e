package datalayer

import (
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/tools/tool"
)

// The toolset "datalayer" has the names, arguments and answers of Datalayer's jupyter-mcp-server, over the same session
// calls as all other tools: those of its version 2 (in "datalayer-today" alone), and those that it had when it came to
// run inside Jupyter Server. Whoever used that server goes on with the same prompts.
//
// An answer of theirs is a text, a table with tabs, or the outputs of code as a list of texts and images. It stands in
// the answer's content as that, and in the structured content as "result" beside the "kind" of answer that it is.

// ofToday puts a tool that their server has today into both toolsets.
func ofToday(t tool.Tool) tool.Tool {
	t.Toolset, t.Also = tool.ToolsetDatalayer, []string{tool.ToolsetToday}
	return t
}

// A textResult is an answer that is one text.
type textResult struct {
	Kind    string   `json:"kind" jsonschema:"What the answer is, such as \"cell.read\"."`
	Result  string   `json:"result" jsonschema:"The text of the answer."`
	CellID  string   `json:"cell_id,omitempty" jsonschema:"The cell that it is about."`
	CellIDs []string `json:"cell_ids,omitempty" jsonschema:"The cells that it is about."` // where the call named several
}

// answer makes the answer of which the text alone is shown.
func (r *textResult) answer() *tool.Answer {
	a := &tool.Answer{Body: r, Meta: idMeta(r.CellID, r.CellIDs)}
	a.Parts = func() []any { return append([]any{tool.Verbatim(r.Result)}, warning(a)...) }
	return a
}

// idMeta names the cells that an answer is about, where their server does.
func idMeta(id string, ids []string) map[string]any {
	switch {
	case len(ids) > 0:
		return map[string]any{"io.jupyter-mcp/cell_ids": ids}
	case id != "":
		return map[string]any{"io.jupyter-mcp/cell_id": id}
	}
	return nil
}

// warning is what is to be said of the document's file beside the texts of an answer.
func warning(a *tool.Answer) (out []any) {
	if a.Doc == nil {
		return nil
	}
	said := a.Ask()
	if said.SaveProblem != "" {
		out = append(out, tool.Verbatim("[WARNING] The notebook's file does not have all of this: "+said.SaveProblem))
	}
	if said.Overwritten != "" {
		out = append(out, tool.Verbatim("[WARNING] "+said.Overwritten))
	}
	return out
}

// A tableResult is an answer that holds a table.
type tableResult struct {
	Kind    string              `json:"kind" jsonschema:"What the answer is, such as \"cell.read\"."`
	Result  string              `json:"result"`
	Columns []string            `json:"columns" jsonschema:"The head."`
	Items   []map[string]string `json:"items" jsonschema:"The rows, each by the names in the head."`
	Count   int                 `json:"count" jsonschema:"How many rows."`
}

// tableSchema describes a [tableResult] with that head.
func tableSchema(columns ...string) tool.Schema {
	return tool.ResultOf[tableResult](func(f tool.Fields) {
		f.Field("result").Say("Table with tabs and a head: " + strings.Join(columns, ", ") + ".")
	})
}

// tableAnswer makes a table of rows and answers with it, behind a head of its own text. Where there are no rows, none
// says so. Rows that do not fit are left out, of which more tells.
func tableAnswer(kind, head, none string, columns []string, rows [][]string, more func(left int) string) (*tool.Answer, error) {
	out := &tableResult{Kind: kind, Columns: columns}
	fill := func() {
		out.Items, out.Count = []map[string]string{}, len(rows)
		for _, row := range rows {
			item := map[string]string{}
			for i, name := range columns {
				item[name] = oneField(row[i])
			}
			out.Items = append(out.Items, item)
		}
		out.Result = head + table(columns, rows)
	}
	if fill(); len(rows) == 0 {
		out.Result = none
	}
	a := &tool.Answer{Body: out}
	a.Parts = func() []any { return []any{tool.Verbatim(out.Result)} }
	all := len(rows)
	return a, a.TrimTo(all, func(n int) {
		rows = rows[:n]
		fill()
		out.Result += "\n" + more(all-n)
	})
}

// table writes rows with tabs between their fields, below the names of the columns.
func table(columns []string, rows [][]string) string {
	out := []string{strings.Join(columns, "\t")}
	for _, row := range rows {
		fields := make([]string, len(row))
		for i, f := range row {
			fields[i] = oneField(f)
		}
		out = append(out, strings.Join(fields, "\t"))
	}
	return strings.Join(out, "\n")
}

// oneField keeps a field of a table one field.
func oneField(s string) string {
	return strings.NewReplacer("\t", "    ", "\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// theirWords is an error worded as clients of their server look for it: like a sentence.
func theirWords(format string, args ...any) error { return fmt.Errorf(format, args...) }

// outOfRange is said of an index that no cell has.
func outOfRange(index, cells int) error {
	return theirWords("Cell index %d is out of range. Notebook has %d cells.", index, cells)
}
