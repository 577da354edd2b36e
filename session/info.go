package session

import (
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// The states that Info.Status can have.
const (
	Connected = "connected"
	// Away is the state of an open document whose room was lost and is joined again, or is being left.
	Away = "away"
	// Disconnected is the state of a document that was closed.
	Disconnected = "disconnected"
)

// Info describes one document's session, open or ended.
type Info struct {
	Path         jupyter.Path
	Notebook     bool   // a notebook, otherwise a text
	SessionID    string // the server's collaboration session
	FileID       string
	Status       string // Connected, Away or Disconnected
	Cells        int
	LastActivity time.Time     // the last call that used the document
	ExpiresIn    time.Duration // until it is evicted; 0 while it is busy or after it has ended
	Busy         bool          // in use by a call or a run
	Unsaved      string        // why the file does not follow the document; "" while it does
	Lost         string        // which confirmed edits of a closed document may be lost for good; "" for none
	Message      string        // one sentence for people
}
