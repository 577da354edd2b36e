package desk

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc"
)

// The revision of a file is the same for the same text, and never one that a document has.
func TestFileRevision(t *testing.T) {
	one, same, other := FileRevision("a"), FileRevision("a"), FileRevision("b")
	if one != same || one == other || len(one) > 20 {
		t.Errorf("revisions %q, %q and %q", one, same, other)
	}
	if rev, err := ParseRevision(one); err != nil || rev != ydoc.Foreign {
		t.Errorf("it is read as %d, %v", rev, err)
	}
}

// What is no revision is refused with what to do.
func TestParseRevision(t *testing.T) {
	now := ydoc.NewNotebook().Revision()
	if rev, err := ParseRevision(Revision(now)); err != nil || rev != now {
		t.Errorf("%d is read as %d, %v", now, rev, err)
	}
	if rev, err := ParseRevision(""); err != nil || rev != 0 {
		t.Errorf("none is read as %d, %v", rev, err)
	}
	if _, err := ParseRevision("the last"); err == nil || !strings.HasPrefix(err.Error(), `revision "the last" is not a revision: copy it`) {
		t.Errorf("error = %v", err)
	}
}
