package awareness

import (
	"encoding/json"
	"strings"
	"unicode"
)

// User is who a client says it is, in JupyterLab's shape. Nobody checks it.
type User struct {
	// Username identifies the user: the panel of collaborators hides entries with the viewer's own.
	Username string `json:"username"`
	// Name is the full name; the server's log takes it from new entries.
	Name string `json:"name"`
	// DisplayName is what people see.
	DisplayName string `json:"display_name"`
	// Initials stand in the user's circle.
	Initials string `json:"initials"`
	// AvatarURL is a picture to show instead of the initials, nil for none.
	AvatarURL *string `json:"avatar_url"`
	// Color is a CSS colour, of the caret and the circle.
	Color string `json:"color"`
}

// Cursor is one caret or selection of a peer. The cell is that of the text in which the positions lie.
type Cursor struct {
	// Anchor and Head are where the selection begins and where its caret is, as Yjs relative positions in JSON.
	Anchor json.RawMessage `json:"anchor"`
	Head   json.RawMessage `json:"head"`
	// Primary is true for the main one of several.
	Primary bool `json:"primary"`
	// Empty is true for a caret without a selection.
	Empty bool `json:"empty"`
}

// maxName is the most characters taken of a name that a peer gives itself.
const maxName = 120

// field returns the value under key, nil when the state is no object or has no such key.
func (s State) field(key string) json.RawMessage {
	if s.keys != nil {
		return s.keys[key]
	}
	return keysOf(s.Raw)[key]
}

// valueOf is a member of a state, and or where it is missing or of another kind.
func valueOf[T any](raw json.RawMessage, or T) T {
	v := or
	if json.Unmarshal(raw, &v) != nil {
		return or
	}
	return v
}

// keysOf are the members of a state that is an object, nil of any other.
func keysOf(raw json.RawMessage) map[string]json.RawMessage {
	return valueOf[map[string]json.RawMessage](raw, nil)
}

// User returns the peer's user. It is false when the state has none: the server's own entry, for one. Control
// characters are taken out of the names, and long ones are cut.
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

// Cursors returns the peer's carets and selections, none when it shows none.
func (s State) Cursors() []Cursor {
	var cursors []Cursor
	for _, raw := range valueOf[[]json.RawMessage](s.field("cursors"), nil) {
		if c := valueOf(raw, Cursor{}); c.Head != nil {
			cursors = append(cursors, c)
		}
	}
	return cursors
}

// Current returns what the peer has in front of it, such as "notebook:dir/a.ipynb", "" when it does not say.
func (s State) Current() string { return valueOf(s.field("current"), "") }

// maxDocuments is how many documents Documents tells.
const maxDocuments = 100

// Documents returns the paths of the shared documents that the peer has open, none where it does not say. In the lobby
// the tabs of JupyterLab do, of documents in side panels too.
func (s State) Documents() []string {
	paths := valueOf[[]string](s.field("documents"), nil)
	return paths[:min(len(paths), maxDocuments)]
}

// maxActive is the longest id or path that Active tells, in bytes.
const maxActive = 4 << 10

// Active returns the cell that the peer's notebook has selected and the notebook's path, "" where it does not say.
// jupyterlab-notebook-awareness tells them, with or without a caret.
func (s State) Active() (cell, path string) {
	return valueOf(s.short("activeCellId"), ""), valueOf(s.short("notebookPath"), "")
}

// short is a member of the state, nil if it is longer than what Active tells.
func (s State) short(key string) json.RawMessage {
	if raw := s.field(key); len(raw) <= maxActive {
		return raw
	}
	return nil
}

// Agent returns the name by which an agent's state marks itself, "" for people.
func (s State) Agent() string { return valueOf(s.field("agent"), "") }

// AIMark stands in the names of those who are no persons, for people to see.
const AIMark = "(AI)"

// Status is what an agent says that it does.
type Status struct {
	// Text is in a few words, "" for nothing in particular.
	Text string `json:"text"`
	// Cell is the id of the cell in which it does so, "" for none.
	Cell string `json:"cell,omitempty"`
	// Since is when it began, in milliseconds since 1970 by its own clock.
	Since int64 `json:"since,omitempty"`
}

// Status returns what the peer says that it does, the zero value when it does not say.
func (s State) Status() Status {
	v := valueOf(s.short("status"), Status{})
	v.Text, v.Cell = cleanName(v.Text), cleanName(v.Cell)
	return v
}

// Replica returns the id under which the peer's edits are known: its own, or that of the client which makes them for it.
func (s State) Replica() uint64 { return valueOf(s.field("replica"), s.ClientID) }

// For returns whom the peer works for just now, where it is no participant itself; false when it does not say.
func (s State) For() (User, bool) { return s.userAt("for") }

// Autosave reports whether the peer wants the document saved by itself. One that does not say so counts as true, as the
// server takes it.
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
