package crdt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A GapError is the [ErrPending] of an update some of whose content builds on changes that are missing here, so that it
// cannot be shown. Deletions of what is missing are none: they hide nothing.
type GapError struct {
	// Missing has, for each client, the clock up to which its changes are wanted.
	Missing map[uint64]uint64
}

func (e *GapError) Error() string { return fmt.Sprintf("%v: %s", ErrPending, e.Gap()) }

// Unwrap makes it match [ErrPending].
func (e *GapError) Unwrap() error { return ErrPending }

// Gap says what is missing.
func (e *GapError) Gap() string {
	const most = 3
	var parts []string
	for _, client := range slices.Sorted(maps.Keys(e.Missing)) {
		if len(parts) == most {
			parts = append(parts, "and others")
			break
		}
		parts = append(parts, fmt.Sprintf("changes of client %d up to number %d", client, e.Missing[client]))
	}
	return strings.Join(parts, ", ") + " are missing"
}
