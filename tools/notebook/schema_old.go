package notebook

import (
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/tool"
)

// modifyArguments describes modifyArgs. It is made by hand, because the description of range stands behind its members
// in the schema that clients know.
func modifyArguments() tool.OldSchema {
	return tool.Arguments(
		tool.Required("path", desk.PathSchema()),
		tool.Required("modifications", tool.List("No cell may be named twice.", tool.Arguments(
			tool.Required("range", desk.RangeSchema().With("description", "Every cell in it gets the content.")),
			tool.Required("content", desk.ContentSchema("The whole new source.")),
			tool.Optional("revision", tool.Text("The cell's revision that the new source is a change from, where the range names one cell. Left out: the one you were last shown.").Length(1, 20)),
		)).Items(1, desk.MaxNewCells)),
		tool.Optional("exec", tool.Boolean("Run the changed code cells.").Def(true)),
		tool.Optional("maxCellOutputSize", tool.Integer("Most characters of each cell's outputs together.").Between(1, MaxOutputSize).Def(DefaultOutputSize)),
		tool.Optional("timeout", tool.Described("number", "Seconds to wait for the cells; those not finished go on, and are answered with what they have put out so far.").
			With("exclusiveMinimum", 0).With("maximum", MaxTimeout).Def(defaultTimeout)),
		tool.Optional("interrupt_on_cancel", tool.Boolean("Whether cancelling this call stops the cells. If false they go on.").Def(true)),
	)
}

// KernelNameSchema describes an argument that names a kernel.
func KernelNameSchema(description string) tool.OldSchema {
	return tool.Text(description).Length(1, MaxKernelName)
}

// MaxCellDataProperty describes [ReadOn]'s limit alone.
func MaxCellDataProperty() tool.Property {
	return tool.Optional("maxCellData", tool.Integer("Most characters of each source and each output.").Between(1, MaxCellData).Def(DefaultCellData))
}

// StateSchema describes the state of a run.
func StateSchema() tool.OldSchema { return tool.OneOf("", RunStates()...) }

// ReadSchema describes a [ReadResult].
func ReadSchema() tool.Schema { return tool.DocumentResultOf[ReadResult](nil) }
