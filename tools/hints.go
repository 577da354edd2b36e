package tools

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// A text for a client names only tools that the client can call. Texts are written with the most suitable tool name, each in
// a clause marked by [textfmt.Hint]; this file decides how the clause reads for a client.

// standIns are tools that can replace another tool in a hint, the best first. A tool that does not take the arguments that
// the hint names does not replace it.
var standIns = map[string][]string{
	"wait_run":             {"watch_runs", "get_run"},
	"get_run":              {"watch_runs"},
	"list_runs":            {"watch_runs"},
	"list_nbs":             {"list_files", "list_notebook", "list_documents", "file_list"},
	"list_documents":       {"file_list", "list_files"},
	"file_list":            {"list_documents", "list_files"},
	"list_files":           {"list_documents", "file_list"},
	"file_read":            {"get_document_content"},
	"get_document_content": {"file_read"},
	"read_nb_cells":        {"notebook_get", "read_notebook"},
	"notebook_get":         {"read_nb_cells", "read_notebook"},
	"read_cell":            {"read_nb_cells", "notebook_get"},
	"get_variables":        {"inspect_data"},
	"get_image_resource":   {"inspect_data"},
	"preview_data":         {"inspect_data"},
	"modify_nb_cells":      {"notebook_edit_cell", "overwrite_cell_source"},
	"execute_nb_cells":     {"execute_cell"},
	"cancel_run":           {"interrupt_execution"},
	"execute_code":         {"insert_nb_cells"},
	"list_kernels":         {"session_list"},
	"restart_notebook":     {"restart_nb_kernel"},
}

// toolName matches the names of tools.
var toolName = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// given are the arguments that a hint names right after a tool.
var given = regexp.MustCompile(`^ with ([a-z_]+)(?: (?:\\?"[^"]*"|-?\d+))?(?: and ([a-z_]+))?`)

// followable returns how a hint names a tool: by its name if the tool is listed, else by that of a listed tool that can replace
// it. A tool that can only be called is named together with call_tool. after is the hint's text after the name.
func (o *offer) followable(name, after string) (string, bool) {
	if o.listed[name] {
		return name, true
	}
	args := slices.DeleteFunc(append(given.FindStringSubmatch(after), ""), func(arg string) bool { return !o.by[name].Input.Takes(arg) })
	for _, other := range standIns[name] {
		if o.listed[other] && !slices.ContainsFunc(args, func(arg string) bool { return !o.by[other].Input.Takes(arg) }) {
			return other, true
		}
	}
	switch {
	case o.callable[name] && o.listed[nameCallTool]:
		return name + " (by " + nameCallTool + ")", true
	case o.callable[name]:
		return name, true
	}
	return "", false
}

// settle rewrites a text's hints for the clients of this server.
func (o *offer) settle(text string) string {
	return textfmt.SettleHints(text, func(clause string) string {
		if o.answers == TextAnswers {
			clause = tool.OneSize.Replace(clause)
		}
		var out strings.Builder
		done := 0
		for _, at := range toolName.FindAllStringIndex(clause, -1) {
			name := clause[at[0]:at[1]]
			if _, ok := o.by[name]; !ok {
				continue // the name of an argument, for example
			}
			told, ok := o.followable(name, clause[at[1]:])
			if !ok {
				return ""
			}
			out.WriteString(clause[done:at[0]] + told)
			done = at[1]
		}
		return out.String() + clause[done:]
	})
}

// wanted matches a hint to give an argument of the called tool.
var wanted = regexp.MustCompile(`^[,;:] (?:or )?give ([a-z_]+)\b`)

// settleError settles an error's hints for the caller of a tool: a hint to give an argument that the tool does not take is
// left out.
func (o *offer) settleError(t tool.Tool, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	fitting := textfmt.SettleHints(text, func(clause string) string {
		if arg := wanted.FindStringSubmatch(clause); arg != nil && !t.Input.Takes(arg[1]) {
			return ""
		}
		return textfmt.Hint(clause)
	})
	return tool.Reworded(err, o.settle(fitting))
}

// settleResult settles the hints of an answer. inWords means that its texts are settled already.
func (o *offer) settleResult(r *mcp.CallToolResult, inWords bool) {
	for i, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok && !inWords {
			t.Text = o.settle(t.Text)
			r.Content[i] = t
		}
	}
	if b, ok := r.StructuredContent.(json.RawMessage); ok {
		r.StructuredContent = json.RawMessage(o.settle(string(b)))
	}
}

// hookHints settles the hints of resources and prompts.
func (o *offer) hookHints(hooks *server.Hooks) {
	hooks.AddAfterReadResource(func(_ context.Context, _ any, _ *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
		for i, c := range result.Contents {
			if t, ok := c.(mcp.TextResourceContents); ok {
				t.Text = o.settle(t.Text)
				result.Contents[i] = t
			}
		}
	})
	hooks.AddAfterGetPrompt(func(_ context.Context, _ any, _ *mcp.GetPromptRequest, result *mcp.GetPromptResult) {
		for i, m := range result.Messages {
			if t, ok := m.Content.(mcp.TextContent); ok {
				t.Text = o.settle(t.Text)
				result.Messages[i].Content = t
			}
		}
	})
}
