package people

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Known says whether all users in a room are known.
type Known struct {
	// In is the time until they are, 0 if they are.
	In time.Duration
	// Cut is set while the connection is lost, so that nothing is received; In counts from the next connection.
	Cut bool
}

// KnownSince returns the knowledge over a connection that was in step since a time; zero means no connection.
func KnownSince(since time.Time) Known {
	if since.IsZero() {
		return Known{awareness.KnownAfter, true}
	}
	return Known{In: max(0, awareness.KnownAfter-time.Since(since))}
}

// All reports whether all users are known.
func (k Known) All() bool { return k.In == 0 && !k.Cut }

// Seconds returns the seconds until they are, rounded up.
func (k Known) Seconds() int { return int(math.Ceil(k.In.Seconds())) }

// A Company is the other users in a document's room.
type Company struct {
	People []Person
	Known  Known
}

// A Front is the documents that a user has in front, from the server's global awareness: one for each username.
type Front struct {
	Name, Username string
	Agent          bool
	// Documents are the paths of the documents in front of the user's tabs, each once. It is empty if other things are in
	// front.
	Documents []string
}

// A Lobby is the users on the server.
type Lobby struct {
	Fronts []Front
	Known  Known
}

// FrontsOf returns the users in the global awareness.
func FrontsOf(peers []rtc.Peer) []Front {
	var out []Front
	for _, p := range peers {
		mine := slices.IndexFunc(out, func(f Front) bool {
			return f.Username != "" && f.Username == p.User.Username && f.Agent == p.Agent
		})
		if mine < 0 {
			out = append(out, Front{Name: nameOf(p.User), Username: p.User.Username, Agent: p.Agent})
			mine = len(out) - 1
		}
		if doc := documentOf(p.Current); doc != "" && !slices.Contains(out[mine].Documents, doc) {
			out[mine].Documents = append(out[mine].Documents, doc)
		}
	}
	for _, f := range out {
		slices.Sort(f.Documents)
	}
	return out
}

// Of returns the documents that a person has in front. Only the username links a person in a room to a user of the server.
func (l Lobby) Of(username string) (f Front, ok bool) {
	at := slices.IndexFunc(l.Fronts, func(f Front) bool { return username != "" && f.Username == username })
	if at < 0 {
		return f, false
	}
	return l.Fronts[at], true
}

// Without removes the peers whose usernames are this one, or begin with it and a dash: our own, from an earlier connection.
func Without(peers []rtc.Peer, username string) []rtc.Peer {
	return slices.DeleteFunc(peers, func(p rtc.Peer) bool {
		rest, ours := strings.CutPrefix(p.User.Username, username)
		return username != "" && ours && (rest == "" || rest[0] == '-')
	})
}
