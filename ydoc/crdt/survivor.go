package crdt

import (
	"time"

	ycrdt "github.com/skyterra/y-crdt"
)

// If there are two copies of one original, the maker of the lower-ranking one removes it (rival.go). If that maker
// left right after making it, or was killed, the copy would stay. So the maker of the other copy waits, and if the
// first maker is silent for long, moves the text that only that copy has into its own and removes it. The
// higher-ranking copy is never removed this way, so one always stays. Deletions made only in the removed copy are no
// longer known: that text returns.

// survivor is another's copy that should go, and the original that it shares with our copy.
type survivor struct {
	theirs *Type
	was    *Type // the shared original, a text
	first  int   // its maker's clock when the copy came
	clock  int   // its maker's clock when last seen
	since  time.Time
	places Places
}

const (
	// survives is how long the maker of such a copy must have been silent.
	survives = 15 * time.Second
	// maxSurvivors bounds the number of such copies.
	maxSurvivors = 64
)

// waitFor starts waiting for another's copy to go.
func waitFor(store *ycrdt.StructStore, theirs, was *Type, places Places) *survivor {
	clock := ycrdt.GetState(store, theirs.Item.ID.Client)
	return &survivor{theirs: theirs, was: was, first: clock, clock: clock, since: time.Now(), places: places}
}

// outlived reports whether the copy is overdue (it still exists and its maker has long been silent), and whether to
// keep waiting.
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

// added reports whether a unit was written into the copy rather than copied.
func (s *survivor) added(client, clock int) bool {
	return client != s.theirs.Item.ID.Client || clock >= s.first
}
