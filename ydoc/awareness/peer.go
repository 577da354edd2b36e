package awareness

import (
	"encoding/json"
	"strings"
	"unicode"
)

// User is a client's own description of its user, in JupyterLab's format. It is not verified.
type User struct {
	// Username identifies the user: the collaborators panel hides entries with the viewer's own username.
	Username string `json:"username"`
	// Name is the full name; the server logs it for new entries.
	Name string `json:"name"`
	// DisplayName is the name that people see.
	DisplayName string `json:"display_name"`
	// Initials are shown in the user's circle.
	Initials string `json:"initials"`
	// AvatarURL is a picture to show instead of the initials, or nil.
	AvatarURL *string `json:"avatar_url"`
	// Color is the CSS colour of the caret and the circle.
	Color string `json:"color"`
}

// Cursor is one caret or selection of a peer. The positions identify the text, and so the cell.
type Cursor struct {
	// Anchor and Head are the start of the selection and its caret, as Yjs relative positions in JSON.
	Anchor json.RawMessage `json:"anchor"`
	Head   json.RawMessage `json:"head"`
	// Primary is true for the main one of several.
	Primary bool `json:"primary"`
	// Empty is true for a caret without a selection.
	Empty bool `json:"empty"`
}

// maxName is the maximum length in characters of a peer's names.
const maxName = 120

// field returns the value under key, nil if the state is not an object or lacks the key.
func (s State) field(key string) json.RawMessage {
	if s.keys != nil {
		return s.keys[key]
	}
	return keysOf(s.Raw)[key]
}

// valueOf returns a member of a state, or the value or if it is missing or of another type.
func valueOf[T any](raw json.RawMessage, or T) T {
	v := or
	if json.Unmarshal(raw, &v) != nil {
		return or
	}
	return v
}

// keysOf returns the members of a state that is an object, else nil.
func keysOf(raw json.RawMessage) map[string]json.RawMessage {
	return valueOf[map[string]json.RawMessage](raw, nil)
}

// User returns the peer's user, or false if the state has none, as the server's own entry. Control characters are
// removed from the names, and long names are cut.
func (s State) User() (User, bool) { return s.userAt("user") }

func (s State) userAt(key string) (User, bool) {
	fields := keysOf(s.field(key))
	if fields == nil {
		return User{}, false
	}
	text := func(key string) string { return cleanName(valueOf(fields[key], "")) }
	u := User{
		Username:    text("username"),
		Name:        text("name"),
		DisplayName: text("display_name"),
		Initials:    text("initials"),
		Color:       text("color"),
	}
	if avatar := valueOf(fields["avatar_url"], ""); avatar != "" {
		u.AvatarURL = &avatar
	}
	return u, true
}

// Cursors returns the peer's carets and selections.
func (s State) Cursors() []Cursor {
	var cursors []Cursor
	for _, raw := range valueOf[[]json.RawMessage](s.field("cursors"), nil) {
		if c := valueOf(raw, Cursor{}); c.Head != nil {
			cursors = append(cursors, c)
		}
	}
	return cursors
}

// Current returns the document in front of the peer, such as "notebook:dir/a.ipynb", or "" if unknown.
func (s State) Current() string { return valueOf(s.field("current"), "") }

// maxDocuments is the largest number of paths that Documents returns.
const maxDocuments = 100

// Documents returns the paths of the shared documents that the peer has open, nil if unknown. JupyterLab's tabs
// announce them in the lobby, including documents in side panels.
func (s State) Documents() []string {
	paths := valueOf[[]string](s.field("documents"), nil)
	return paths[:min(len(paths), maxDocuments)]
}

// maxActive is the longest id or path that Active returns, in bytes.
const maxActive = 4 << 10

// Active returns the selected cell of the peer's notebook and the notebook's path, "" if unknown.
// jupyterlab-notebook-awareness announces them, with or without a caret.
func (s State) Active() (cell, path string) {
	return valueOf(s.short("activeCellId"), ""), valueOf(s.short("notebookPath"), "")
}

// short returns a member of the state, nil if it is longer than maxActive.
func (s State) short(key string) json.RawMessage {
	if raw := s.field(key); len(raw) <= maxActive {
		return raw
	}
	return nil
}

// Agent returns the name by which an agent marks its state, "" for people.
func (s State) Agent() string { return valueOf(s.field("agent"), "") }

// AIMark marks agents in the names that people see.
const AIMark = "(AI)"

// Status is an agent's description of its present activity.
type Status struct {
	// Text is a few words, "" if nothing in particular.
	Text string `json:"text"`
	// Cell is the id of the cell concerned, or "".
	Cell string `json:"cell,omitempty"`
	// Since is the start, in milliseconds since 1970 by the agent's own clock.
	Since int64 `json:"since,omitempty"`
}

// Status returns the peer's status, or the zero value.
func (s State) Status() Status {
	v := valueOf(s.short("status"), Status{})
	v.Text, v.Cell = cleanName(v.Text), cleanName(v.Cell)
	return v
}

// Replica returns the client id of the peer's edits: its own, or that of the client that edits on its behalf.
func (s State) Replica() uint64 { return valueOf(s.field("replica"), s.ClientID) }

// For returns the user that a peer without its own user currently works for, or false.
func (s State) For() (User, bool) { return s.userAt("for") }

// Autosave reports whether the peer wants autosave of the document. It defaults to true, as on the server.
func (s State) Autosave() bool { return valueOf(s.field("autosave"), true) }

func cleanName(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s))
	n := 0
	for i := range s {
		if n++; n > maxName {
			return s[:i]
		}
	}
	return s
}
