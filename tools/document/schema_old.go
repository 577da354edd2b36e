package document

import "github.com/nbduet/nbduet/tools/tool"

// PathSchema describes a path argument that has to name a document.
func PathSchema(description string) tool.OldSchema {
	return tool.Text(description+", relative to the server's root folder, such as \"work/notes.md\"; a leading slash is allowed.").Length(1, 4096)
}

// ContentSchema describes text that a call brings along.
func ContentSchema(description string) tool.OldSchema {
	return tool.Text(description+" Line ends are stored as \\n.").Length(0, maxText)
}

// MaxContentProperty describes the argument that bounds the content.
func MaxContentProperty() tool.Property {
	return tool.Optional("max_content", tool.Integer("Most characters of content to return.").Between(1, MaxContent).Def(defaultContent))
}

// StatusSchema describes a state out of a fixed set.
func StatusSchema(description string, values ...string) tool.OldSchema {
	return tool.OneOf(description, values...)
}
