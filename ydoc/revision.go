package ydoc

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Revision identifies content as read: two reads return equal revisions exactly if the content is equal and no read
// in between saw a change. Revisions only grow. A document's revision also identifies all its cells at that time.
type Revision uint64

// Foreign is a revision that no document ever has, older than all others: the result of parsing another process's
// revision.
const Foreign = Revision(1)

// start is the revision from which this process counts; revisions is the last one given to any of its documents. The
// one counter starts at the milliseconds since 2025, so that a revision of a discarded document, of this process or
// an earlier one, is not mistaken for one of its replacement.
var (
	start     = max(Foreign, Revision(max(0, time.Since(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)).Milliseconds())))
	revisions atomic.Uint64
)

func init() { revisions.Store(uint64(start)) }

func nextRevision() Revision { return Revision(revisions.Add(1)) }

const (
	digits    = 36 // the base of a written revision
	markBytes = 2
)

// mark is the suffix of each revision of a process that started at start. Processes that start within one second of
// each other have different marks.
func mark(start Revision) string {
	text := "0" + strconv.FormatUint(uint64(start%(digits*digits)), digits)
	return text[len(text)-markBytes:]
}

// String formats the revision in lower-case letters and digits: its number within this process, then the process's
// mark.
func (r Revision) String() string {
	return strconv.FormatUint(uint64(r-min(r, start)), digits) + mark(start)
}

// ParseRevision parses the result of [Revision.String]. A revision of another process, or one not given yet, becomes
// [Foreign].
func ParseRevision(s string) (Revision, error) {
	at := max(0, len(s)-markBytes)
	n, err := strconv.ParseUint(s[:at], digits, 64)
	_, notMark := strconv.ParseUint(s[at:], digits, 64)
	switch {
	case err != nil || notMark != nil || n == 0 || s != strconv.FormatUint(n, digits)+strings.ToLower(s[at:]):
		return 0, fmt.Errorf("%q is not a revision", s)
	case s[at:] != mark(start) || n > revisions.Load()-uint64(start):
		return Foreign, nil
	}
	return start + Revision(n), nil
}

// past holds the current and older versions of a text.
type past struct {
	versions []version // ascending
}

// version is a text from one revision on, until the next.
type version struct {
	from Revision
	text string
}

// at returns the text at a revision, which must not be later than last, the document's revision. p may be nil.
func (p *past) at(r, last Revision) (string, error) {
	if p != nil && r <= last {
		for _, v := range slices.Backward(p.versions) {
			if v.from <= r {
				return v.text, nil
			}
		}
	}
	return "", fmt.Errorf("%w: %s", ErrRevisionGone, r)
}

// versionBytes is the cost of a version besides its text. It counts, so that the number of versions is bounded too.
const versionBytes = 64

// archive bounds the versions kept for all texts of one document.
type archive struct {
	maxBytes, maxVersions int
	bytes                 int
	old                   []*past // in the order in which their oldest versions go
}

// add notes that p is text from revision r on.
func (a *archive) add(p *past, r Revision, text string) {
	if n := len(p.versions); n > 0 {
		a.bytes += len(p.versions[n-1].text) + versionBytes
		a.old = append(a.old, p)
	}
	p.versions = append(p.versions, version{r, text})
	if len(p.versions) > a.maxVersions {
		a.drop(p)
		if i := slices.Index(a.old, p); i >= 0 {
			a.old = slices.Delete(a.old, i, i+1)
		}
	}
	for a.bytes > a.maxBytes && len(a.old) > 0 {
		a.drop(a.old[0])
		a.old = a.old[1:]
	}
}

// drop forgets the oldest version of p.
func (a *archive) drop(p *past) {
	a.bytes -= len(p.versions[0].text) + versionBytes
	p.versions[0].text = ""
	p.versions = p.versions[1:]
}

// carry returns the edits that apply the change from old to mine to now, or a filled-in conflict if others have
// changed the same place.
func carry(old, now, mine string, conflict ConflictError) ([]textdiff.Edit, error) {
	edits, err := textdiff.Merge(old, now, mine)
	var c *textdiff.Conflict
	if !errors.As(err, &c) {
		return edits, err
	}
	conflict.Theirs, conflict.Mine, conflict.Detail, conflict.cause = c.TheirDiff, c.MyDiff, c.Error(), c
	return nil, &conflict
}
