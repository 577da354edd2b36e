package crdt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A GapError is the [ErrPending] of an update whose content partly depends on missing changes, so that it cannot be
// shown. Deletions of missing content do not cause one: they hide nothing.
type GapError struct {
	// Missing is, for each client, the clock up to which its changes are needed.
	Missing map[uint64]uint64
}

func (e *GapError) Error() string { return fmt.Sprintf("%v: %s", ErrPending, e.Gap()) }

// Unwrap makes it match [ErrPending].
func (e *GapError) Unwrap() error { return ErrPending }

// Gap describes the missing changes.
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
