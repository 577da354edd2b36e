package mentions

import "strings"

// A Call is a call in a text outside a cell.
type Call struct {
	Name string
	// Says is the text behind the name up to the end of the line, and Rest all text behind it.
	Says, Rest string
	// First is set if the text begins with it.
	First   bool
	Command Command
	// To are the clients that are called; empty for all clients of this program.
	To []string
}

// InText finds the calls in a Markdown text.
func (b *Book) InText(text string) (calls []Call) {
	names := b.names()
	for _, c := range findIn("markdown", text, names) {
		_, n := called(text[c.from+1:], names)
		calls = append(calls, Call{
			Name: c.name, Says: c.says, Rest: behind(text[c.from+1+n:]), First: strings.TrimSpace(text[:c.from]) == "",
			Command: commandOf(c.says), To: clientsOf(c.name, names),
		})
	}
	return calls
}

// SameName reports whether two names are the same in a call.
func SameName(a, b string) bool { return handle(a) == handle(b) }
