package tools

import (
	"errors"
	"fmt"
)

const (
	// maxRanges bounds a list of ranges.
	maxRanges = 1000
	// maxIndex bounds a cell index in a schema, far beyond what a notebook holds.
	maxIndex = 1_000_000
)

// A cellRange names cells by position, as they stand when the call begins.
type cellRange struct {
	Start int  `json:"start"`
	End   *int `json:"end"`
}

// rangeSchema describes one range.
func rangeSchema() schema {
	return arguments(
		required("start", integer("First cell, counted from 0.").between(0, maxIndex)),
		optional("end", integer("Cell to stop before (exclusive). Left out: the one cell at start.").between(0, maxIndex)),
	)
}

func rangesSchema(description string, least int) schema {
	return list(description, rangeSchema()).items(least, maxRanges)
}

// String is how the range is written in messages.
func (r cellRange) String() string {
	if r.End == nil {
		return fmt.Sprintf("start %d", r.Start)
	}
	return fmt.Sprintf("start %d, end %d", r.Start, *r.End)
}

// indexes returns the positions that r names in a notebook of count cells. what is the name of the argument.
func (r cellRange) indexes(what string, count int) ([]int, error) {
	end := r.Start + 1
	if r.End != nil {
		end = *r.End
	}
	switch {
	case r.Start < 0 || end < 0:
		return nil, fmt.Errorf("%s (%s) is negative: indexes count from 0, and %s", what, r, holds(count))
	case r.End != nil && end < r.Start:
		return nil, fmt.Errorf("%s (%s) is reversed: end must be greater than start; %s", what, r, holds(count))
	case r.End != nil && end == r.Start:
		return nil, fmt.Errorf("%s (%s) is empty: end is exclusive, so the one cell at %d is start %d, end %d; %s",
			what, r, r.Start, r.Start, r.Start+1, holds(count))
	case r.Start >= count || end > count:
		return nil, fmt.Errorf("%s (%s) is out of range: %s", what, r, holds(count))
	}
	out := make([]int, 0, end-r.Start)
	for i := r.Start; i < end; i++ {
		out = append(out, i)
	}
	return out, nil
}

// holds says how many cells there are and which indexes that allows.
func holds(count int) string {
	switch count {
	case 0:
		return "the notebook has no cells"
	case 1:
		return "the notebook has 1 cell, index 0"
	default:
		return fmt.Sprintf("the notebook has %s, indexes 0 to %d", plural(count, "cell"), count-1)
	}
}

// resolve returns the positions that the ranges name, in the order given, each once however often it is named.
func resolve(ranges []cellRange, count int) ([]int, error) {
	if len(ranges) == 0 {
		return nil, errors.New("ranges is an empty list: name at least one range, such as {\"start\": 0}; " + holds(count))
	}
	var out []int
	named := make(map[int]bool)
	for i, r := range ranges {
		found, err := r.indexes(fmt.Sprintf("ranges[%d]", i), count)
		if err != nil {
			return nil, err
		}
		for _, at := range found {
			if !named[at] {
				named[at] = true
				out = append(out, at)
			}
		}
	}
	return out, nil
}
