package tools

import (
	"context"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/tools/tool"
)

// mannered are the tools that change or add cells of a notebook: while a person is typing there they wait, or override with
// force, if the call says so.
var mannered = []string{
	"clear_cell_output", "delete_cell", "delete_nb_cells", "edit_cell_source", "edit_text", "execute_cell",
	"execute_cell_simple_timeout", "execute_cell_streaming", "execute_cell_with_progress", "execute_code",
	"execute_nb_cells", "insert_cell", "insert_execute_code_cell", "insert_nb_cells", "modify_nb_cells", "move_cell",
	"move_nb_cells", "notebook_add_cell", "notebook_delete_cell", "notebook_edit_cell", "notebook_move_cell",
	"overwrite_cell_source", "overwrite_document", "redo_agent", "restart_nb_kernel", "restore_notebook", "undo_agent",
}

// withManners adds the arguments wait and force to a tool that changes cells.
func withManners(t tool.Tool) tool.Tool {
	if slices.Contains(mannered, t.Name) {
		t.Input = t.Input.WithManners(editguard.MaxWait.Seconds())
	}
	return t
}

// takeManners moves wait and force from a call's arguments to the context; the default wait is within. If the tool lists
// force, the argument also stays, because it means more there.
func takeManners(ctx context.Context, s *jsonschema.Schema, args any, within time.Duration) context.Context {
	given, _ := args.(map[string]any)
	m := editguard.Manners{Wait: within, Forceable: slices.Contains(s.PropertyOrder, tool.ArgForce)}
	m.Force, _ = given[tool.ArgForce].(bool)
	_ = tool.TakeHidden(s, args, tool.ArgForce)
	if seconds, ok := tool.TakeHidden(s, args, tool.ArgWait).(float64); ok {
		m.Wait = time.Duration(seconds * float64(time.Second))
	}
	began := time.Now()
	m.Tell = func(ctx context.Context, message string) { tool.Progress(ctx, time.Since(began).Seconds(), message) }
	return editguard.With(ctx, m)
}
