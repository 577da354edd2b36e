package document

import (
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools/tool"
)

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

// SessionProperties describe a [Session].
func SessionProperties() []tool.Property {
	return append([]tool.Property{
		tool.Required("path", tool.Text("Without a leading slash.")),
		tool.Optional("session_id", tool.Text("The server's collaboration session.")),
		tool.Optional("file_id", tool.Text("The server's id of the file.")),
		tool.Required("status", StatusSchema("\"not_found\" where this program had not opened it.", session.Connected, session.Disconnected, notFound)),
		tool.Optional("last_activity", tool.Text("ISO 8601 time of the last use by a tool.")),
		tool.Optional("expires_in_seconds", tool.Described("number", "Until it is closed for want of use; absent while it is in use or when it has ended.")),
		tool.Required("message", tool.Text("")),
	}, tool.SavedProperties()...)
}

// EndedProperties describe an [EndSessionResult].
func EndedProperties() []tool.Property {
	return append([]tool.Property{
		tool.Required("path", tool.Text("Without a leading slash.")),
		tool.Required("status", StatusSchema("\"not_found\" where this program had not opened it.", session.Disconnected, notFound)),
		tool.Required("message", tool.Text("")),
	}, tool.SavedProperties()...)
}

// StatusSchema describes a state out of a fixed set.
func StatusSchema(description string, values ...string) tool.OldSchema {
	return tool.OneOf(description, values...)
}
