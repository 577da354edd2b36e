package desk

import "github.com/nbduet/nbduet/tools/tool"

// PathSchema describes a path argument that has to name a notebook.
func PathSchema() tool.OldSchema {
	return tool.Text("Notebook, relative to the server's root folder, such as \"work/analysis.ipynb\"; a leading slash is allowed.").Length(1, MaxPath)
}

// RangeSchema describes one range.
func RangeSchema() tool.OldSchema {
	return tool.Arguments(
		tool.Optional("start", tool.Integer("First cell, counted from 0.").Between(0, tool.MaxIndex)),
		tool.Optional("end", tool.Integer("Cell to stop before (exclusive). Left out: the one cell at start.").Between(0, tool.MaxIndex)),
		tool.Optional("id", IDSchema("Id of one cell, in place of start and end; unlike an index it stays the same when others insert cells.")),
	)
}

// IDSchema describes an argument that names a cell by its id.
func IDSchema(description string) tool.OldSchema {
	return tool.Text(description).Length(1, MaxIDLength)
}

// ContentSchema describes a source that a call brings along.
func ContentSchema(description string) tool.OldSchema {
	return tool.Text(description+LineEnds).Length(0, MaxSource)
}

// RevisionSchema describes the revision of something in a result.
func RevisionSchema(of string) tool.OldSchema { return tool.Text(RevisionText(of)) }
