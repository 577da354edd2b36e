package lease

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/session/collab/people"
)

// State is a replica of a room's document.
type State interface {
	SetState(entries map[string]any) error
	StateEntries(prefix string) map[string]any
	ClientID() uint64
}

// A Place is a joined room with its replica.
type Place struct {
	Room interface {
		Barrier(ctx context.Context) error
		Since() time.Time
		Peers() []rtc.Peer
		Replicas() []uint64
	}
	State
}

// present is who is in a room besides this process.
type present struct {
	replicas map[string]bool // of programs
	users    []string        // of agents
	known    bool            // whether all others are known
}

func (p Place) present() present {
	known := people.KnownSince(p.Room.Since()).All() // before looking
	out := present{map[string]bool{}, nil, known}
	persons := map[uint64]bool{}
	for _, peer := range p.Room.Peers() {
		if peer.Agent {
			out.users = append(out.users, peer.User.Username)
		} else {
			persons[peer.ClientID] = true
		}
	}
	for _, id := range p.Room.Replicas() {
		if !persons[id] {
			out.replicas[strconv.FormatUint(id, 10)] = true
		}
	}
	return out
}

// alone reports whether there is certainly no other program in the room.
func (p present) alone() bool { return p.known && len(p.replicas) == 0 }

// stands reports whether a claim is valid. A process that may not have been heard yet counts as present.
func (p present) stands(c record) bool {
	return c.Answered || !p.known || p.replicas[c.Replica] || slices.ContainsFunc(p.users, func(user string) bool {
		rest, of := strings.CutPrefix(user, c.process)
		return of && (rest == "" || rest[0] == '-')
	})
}
