package mentions

import (
	"crypto/rand"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Mention is a call that somebody has made.
type Mention struct {
	// ID names it in answers; it is random, so that an id of an earlier process means no other mention.
	ID string
	// Path is the notebook, or the chat.
	Path jupyter.Path
	// Cell is the id of the cell in which it stands; "" in a chat.
	Cell string
	// Mark stands for the place in the notebook where the call begins: the same in every process, and another for each call. ""
	// in a chat, and where it is not known.
	Mark string
	// Message is the id of the message of a chat; "" in a notebook.
	Message string
	// Says is what stands behind the name.
	Says string
	// More is how many further calls came with it in one change, and are not told one by one.
	More int
	Who  Who
	At   time.Time
	// To are the clients who are called; none for all of this program.
	To []string
	// Edited says that it was changed after it had been delivered.
	Edited bool
	// Attached are the cells that a message has with it.
	Attached []Attached
}

// Who is who has made a call.
type Who struct {
	Name, Username string
	// Agent says that it is an agent.
	Agent bool
	// Client is the client of this program that made it, "" for others.
	Client string
}

// Attached is a cell, or a file, that is attached to a message.
type Attached struct {
	Path string
	Cell string
	// Selected is what was selected in the cell, "" for the whole.
	Selected string
}

// InChat reports whether a mention was made in a chat.
func (m Mention) InChat() bool { return m.Message != "" }

// newID makes an id that can be read aloud.
func newID() string { return "m-" + strings.ToLower(rand.Text()[:6]) }
