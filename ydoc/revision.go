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

// Revision identifies content as it was read: two reads give equal revisions exactly when what was read is equal and
// had not changed in between as far as anybody looked. Revisions only grow. One of a document stands for all its cells
// at that time.
type Revision uint64

// Foreign is a revision that no document has or will have, older than all: what the text of another process's revision
// is parsed as.
const Foreign = Revision(1)

// start is where this process began to count, revisions the last one given to any of its documents. They are drawn from
// one counter, which starts at the milliseconds since 2025, so that a revision of a document that was since thrown away,
// by this process or an earlier one, is not taken for one of the document that replaced it.
var (
	start     = max(Foreign, Revision(max(0, time.Since(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)).Milliseconds())))
	revisions atomic.Uint64
)

func init() { revisions.Store(uint64(start)) }

func nextRevision() Revision { return Revision(revisions.Add(1)) }

const (
	digits    = 36 // the base in which a revision is written
	markBytes = 2
)

// mark ends the text of each revision of a process that began to count there. Two that began within the same second have
// different ones.
func mark(start Revision) string {
	text := "0" + strconv.FormatUint(uint64(start%(digits*digits)), digits)
	return text[len(text)-markBytes:]
}

// String writes the revision in few characters, lower-case letters and digits: how many the process has given until then,
// and the mark of the process.
func (r Revision) String() string {
	return strconv.FormatUint(uint64(r-min(r, start)), digits) + mark(start)
}

// ParseRevision reads what [Revision.String] has written. A text of another process, or of what this one has not given
// yet, is [Foreign].
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

// past is what a text was at older revisions, and is.
type past struct {
	versions []version // ascending
}

// version is a text from one revision on, until the next.
type version struct {
	from Revision
	text string
}

// at is the text at a revision, which must not be beyond the last one of the document. p may be nil.
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

// versionBytes is what a version costs besides its text. It counts, so that the number of versions is bounded as well.
const versionBytes = 64

// archive bounds what all texts of one document remember.
type archive struct {
	maxBytes, maxVersions int
	bytes                 int
	old                   []*past // whose oldest version is the next to go, in order
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

// carry returns the edits of now that make the change from old to mine, or conflict, filled in, where others have
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
