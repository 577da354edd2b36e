package datalayer

import (
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
)

// OutputsSchema is what [Outputs] is, for schemas that are not derived.
func OutputsSchema() tool.OldSchema {
	item := tool.OldSchema{{Name: "type", Value: []string{"string", "object"}}}
	return tool.Object("", append([]tool.Property{
		tool.Required("kind", tool.Text("What the answer is, such as \"cell.read\".")),
		tool.Required("result", tool.List("In order: texts, and objects in the places of images, which are shown beside this.", item)),
		tool.Required("outputs", tool.List("The same.", item)),
		tool.Required("count", tool.Integer("How many.")),
		tool.Required("images", tool.Integer("How many of them are images.")),
		tool.Optional("cell_id", tool.Text("The cell that it is about.")),
		tool.Optional("run_id", tool.Text("Names the execution, for get_run, wait_run and cancel_run.")),
		tool.Optional("state", notebook.StateSchema()),
	}, tool.SavedProperties()...)...)
}

// editSourceSchema describes [editSourceArgs], with the keywords of old_string in an order that derived schemas do not
// have.
func editSourceSchema() tool.OldSchema {
	return tool.Arguments(
		tool.Optional("cell_index", tool.Integer("Index of the cell, from 0. Needed unless cell_id is given.").Between(0, tool.MaxIndex).OrNull()),
		tool.Optional("notebook_name", tool.Text("Notebook to work in, by the name that use_notebook gave it, or by its path; left out: the current one.").Length(0, desk.MaxPath).OrNull()),
		tool.Optional("cell_id", desk.IDSchema("Id of the cell, which stays the same when cells are inserted or moved; given both, the id counts.").OrNull()),
		tool.Required("old_string", desk.ContentSchema("What is to be replaced; no pattern, and lines may follow each other in it.").With("minLength", 1)),
		tool.Required("new_string", desk.ContentSchema("What comes in its place.")),
		tool.Optional("replace_all", tool.Boolean("Replace every occurrence.").Def(false)),
	)
}
