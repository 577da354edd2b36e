package crdt

import (
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// Of two copies of the same the maker of the one takes it away (rival.go). Where that has left right behind making it, or
// was killed, nobody would. So the maker of the other waits for it, and when nothing has come from it for long takes it
// away itself, having put what was written into that copy alone into its own. The other way round nobody takes away what
// stays, so not both go. What was deleted in the copy that goes is not known any more, and returns.

// survivor is a copy of another's that is to go, and what it and a copy of ours were made of.
type survivor struct {
	theirs *Type
	was    *Type // a text
	first  int   // its maker had written up to there when the copy came
	clock  int   // and up to there when it was last heard of
	since  time.Time
	places Places
}

const (
	// survives is for how long nothing must have come from the maker of a copy that is to go.
	survives = 15 * time.Second
	// maxSurvivors bounds for how many copies it is waited that they go.
	maxSurvivors = 64
)

// waitFor begins to wait for a copy of another's to go.
func waitFor(store *ycrdt.StructStore, theirs, was *Type, places Places) *survivor {
	clock := ycrdt.GetState(store, theirs.Item.ID.Client)
	return &survivor{theirs: theirs, was: was, first: clock, clock: clock, since: time.Now(), places: places}
}

// outlived reports whether the copy has not gone for long, though nothing else has come from who made it, and whether it
// is to be waited for further.
func (s *survivor) outlived(store *ycrdt.StructStore) (yes, wait bool) {
	clock := ycrdt.GetState(store, s.theirs.Item.ID.Client)
	switch {
	case s.theirs.Deleted():
		return false, false
	case clock != s.clock:
		s.clock, s.since = clock, time.Now()
		return false, true
	}
	yes = time.Since(s.since) > survives
	return yes, !yes
}

// added reports whether a unit was written into the copy, and not copied.
func (s *survivor) added(client, clock int) bool {
	return client != s.theirs.Item.ID.Client || clock >= s.first
}
