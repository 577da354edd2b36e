package people

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Known says whether all who are there are known.
type Known struct {
	// In is how long it takes until they are, 0 when they are.
	In time.Duration
	// Cut says that there is no connection now, so that nobody can be heard; In counts from the next one.
	Cut bool
}

// KnownSince is what is known over a connection that came into step at a time, or over none if that is zero.
func KnownSince(since time.Time) Known {
	if since.IsZero() {
		return Known{awareness.KnownAfter, true}
	}
	return Known{In: max(0, awareness.KnownAfter-time.Since(since))}
}

// All reports whether all who are there are known.
func (k Known) All() bool { return k.In == 0 && !k.Cut }

// Seconds is in how many seconds they are, rounded up.
func (k Known) Seconds() int { return int(math.Ceil(k.In.Seconds())) }

// A Company is who else is in a document's room.
type Company struct {
	People []Person
	Known  Known
}

// A Front is what somebody has in front of them, by the server's global awareness: one for each username.
type Front struct {
	Name, Username string
	Agent          bool
	// Documents are the paths of the documents in front, one for each tab, each once. None if only other things are.
	Documents []string
}

// A Lobby is who is on the server.
type Lobby struct {
	Fronts []Front
	Known  Known
}

// FrontsOf are those who are in the global awareness.
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

// Of is what a person has in front of them. Only a username says who of the server is who of a room.
func (l Lobby) Of(username string) (f Front, ok bool) {
	at := slices.IndexFunc(l.Fronts, func(f Front) bool { return username != "" && f.Username == username })
	if at < 0 {
		return f, false
	}
	return l.Fronts[at], true
}

// Without leaves out the peers whose usernames are one, or begin with it and a dash: our own, of a connection before.
func Without(peers []rtc.Peer, username string) []rtc.Peer {
	return slices.DeleteFunc(peers, func(p rtc.Peer) bool {
		rest, ours := strings.CutPrefix(p.User.Username, username)
		return username != "" && ours && (rest == "" || rest[0] == '-')
	})
}
