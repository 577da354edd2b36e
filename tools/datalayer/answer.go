package datalayer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/tool"
)

// The toolset "datalayer" has the names, arguments and answers of Datalayer's jupyter-mcp-server, over the same session
// calls as all other tools: those of its version 2 (in "datalayer-today" alone), and those from the time when it began to
// run inside Jupyter Server. A user of that server keeps the same prompts.
//
// Its answers are a text, a table with tabs, or the outputs of code as a list of texts and images. The content of our answer
// has this unchanged; the structured content, where there is one, has it as "result", beside "kind".

// ofToday also puts a tool that their current server has into that server's toolset.
func ofToday(t tool.Tool) tool.Tool {
	t.Also = []string{tool.ToolsetToday}
	return t
}

// A textResult is an answer that is one text.
type textResult struct {
	Kind    string   `json:"kind" jsonschema:"Kind of answer, such as \"cell.read\"."`
	Result  string   `json:"result" jsonschema:"The text of the answer."`
	CellID  string   `json:"cell_id,omitempty" jsonschema:"Id of the cell."`
	CellIDs []string `json:"cell_ids,omitempty" jsonschema:"Ids of the cells."` // if the call named several
}

// answer makes an answer that shows only the text. doc is the document of the call, nil without an open one.
func (r *textResult) answer(doc *session.Document) *tool.Answer { return r.answerAs(doc, r, "") }

// answerAs makes an answer whose body contains the text, and that shows it, with the revision below.
func (r *textResult) answerAs(doc *session.Document, body any, revision string) *tool.Answer {
	a := &tool.Answer{Body: body, Doc: deps.About(doc), Meta: idMeta(r.CellID, r.CellIDs)}
	a.Parts = func() []any { return slices.Concat([]any{tool.Verbatim(r.Result)}, atRevision(revision), warning(a)) }
	return a
}

// A readResult is a textResult of a notebook.
type readResult struct {
	textResult
	Revision string `json:"revision" jsonschema:"Revision of the notebook, for a later change."`
}

func (r *readResult) answer(doc *session.Document) *tool.Answer {
	return r.answerAs(doc, r, r.Revision)
}

// A useResult is a textResult of a notebook that may show cells.
type useResult struct {
	textResult
	Revision string `json:"revision,omitempty" jsonschema:"Of the notebook, if cells are shown."`
}

func (r *useResult) answer(doc *session.Document) *tool.Answer { return r.answerAs(doc, r, r.Revision) }

// atRevision returns the revision of the read notebook, to follow the texts of an answer.
func atRevision(revision string) []any {
	if revision == "" {
		return nil
	}
	return []any{tool.Verbatim("[revision " + strconv.Quote(revision) + "]")}
}

// idMeta names the cells of an answer, as their server does.
func idMeta(id string, ids []string) map[string]any {
	switch {
	case len(ids) > 0:
		return map[string]any{"io.jupyter-mcp/cell_ids": ids}
	case id != "":
		return map[string]any{"io.jupyter-mcp/cell_id": id}
	}
	return nil
}

// warning returns the warnings about the document's file that follow the texts of an answer.
func warning(a *tool.Answer) (out []any) {
	said := a.Ask()
	if said.Tabs != "" {
		out = append(out, tool.Verbatim("[WARNING] "+said.Tabs))
	}
	if said.SaveProblem != "" {
		out = append(out, tool.Verbatim("[WARNING] The notebook's file is not up to date: "+said.SaveProblem))
	}
	if said.Overwritten != "" {
		out = append(out, tool.Verbatim("[WARNING] "+said.Overwritten))
	}
	return append(out, lo.Map(a.People, func(line string, _ int) any { return tool.Verbatim("[NOTE] " + line) })...)
}

// A tableResult is an answer that contains a table.
type tableResult struct {
	Kind    string              `json:"kind" jsonschema:"Kind of answer, such as \"cell.read\"."`
	Result  string              `json:"result"`
	Columns []string            `json:"columns" jsonschema:"Column names."`
	Items   []map[string]string `json:"items" jsonschema:"The rows, by column name."`
	Count   int                 `json:"count" jsonschema:"Number of rows."`
}

// A cellTable is a tableResult of a notebook's cells.
type cellTable struct {
	*tableResult
	Revision string `json:"revision" jsonschema:"Of the notebook."`
}

// tableSchema describes a [tableResult] with the given columns.
func tableSchema(columns ...string) tool.Schema { return tool.ResultOf[tableResult](headed(columns)) }

// cellTableSchema describes a [cellTable] with the given columns.
func cellTableSchema(columns ...string) tool.Schema {
	return tool.DocumentResultOf[cellTable](headed(columns))
}

func headed(columns []string) func(tool.Fields) {
	return func(f tool.Fields) {
		f.Field("result").Say("Tab-separated, with a header: " + strings.Join(columns, ", ") + ".")
	}
}

// tableAnswer answers with a table of rows after the text head, or with the text none for an empty table. It leaves out
// rows that do not fit, and adds the text that more returns for their number.
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
	a.Parts = func() []any { return append([]any{tool.Verbatim(out.Result)}, warning(a)...) }
	all := len(rows)
	return a, a.TrimTo(all, func(n int) {
		rows = rows[:n]
		fill()
		out.Result += "\n" + more(all-n)
	})
}

// table formats rows with tabs between their fields, below the names of the columns.
func table(columns []string, rows [][]string) string {
	out := []string{strings.Join(columns, "\t")}
	for _, row := range rows {
		out = append(out, strings.Join(lo.Map(row, func(f string, _ int) string { return oneField(f) }), "\t"))
	}
	return strings.Join(out, "\n")
}

// oneField replaces the tabs and line ends in a field of a table.
func oneField(s string) string {
	return strings.NewReplacer("\t", "    ", "\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// theirWords returns an error worded as clients of their server expect it: like a sentence.
func theirWords(format string, args ...any) error { return fmt.Errorf(format, args...) }

// outOfRange is the error of an index that is out of range.
func outOfRange(index, cells int) error {
	return theirWords("Cell index %d is out of range. Notebook has %d cells.", index, cells)
}
