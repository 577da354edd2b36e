package mentions

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Mention is a call of an agent by its name.
type Mention struct {
	// ID identifies it in answers. It is random, so that an id from an earlier process does not match another mention.
	ID string
	// Path is the notebook, or the chat.
	Path jupyter.Path
	// Cell is the id of the cell that contains it; "" in a chat.
	Cell string
	// Mark identifies the position in the notebook where the call begins: it is equal in every process and differs for each
	// call. It is "" in a chat, and if the position is not known.
	Mark string
	// Message is the id of the message of a chat; "" in a notebook.
	Message string
	// Says is the text behind the name.
	Says string
	// More is how many further calls came with it in one change, and are not delivered separately.
	More int
	Who  Who
	At   time.Time
	// To are the clients that are called; empty for all clients of this program.
	To []string
	// Edited is set if it was changed after its delivery.
	Edited bool
	// Attached are the cells attached to the message.
	Attached []Attached
}

// Who is the author of a call.
type Who struct {
	Name, Username string
	// Agent is set for an agent.
	Agent bool
	// Client is the client of this program that made it, "" for others.
	Client string
}

// Attached is a cell or file that is attached to a message.
type Attached struct {
	Path string
	Cell string
	// Selected is the selected text in the cell, "" for the whole cell.
	Selected string
}

// InChat reports whether a mention was made in a chat.
func (m Mention) InChat() bool { return m.Message != "" }

// newID returns an id that can be read aloud.
func newID() string { return "m-" + strings.ToLower(rand.Text()[:6]) }
