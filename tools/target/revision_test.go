package target

import (
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc"
)

// The revision of a file is the same for the same text, and never equals one of a document.
func TestFileRevision(t *testing.T) {
	one, same, other := FileRevision("a"), FileRevision("a"), FileRevision("b")
	test.Eq(t, same, one)
	test.NotEq(t, other, one)
	test.LessEq(t, 20, len(one))
	rev, err := ParseRevision(one)
	must.NoError(t, err)
	test.Eq(t, ydoc.Foreign, rev)
}

// A malformed revision is refused with advice.
func TestParseRevision(t *testing.T) {
	now := ydoc.NewNotebook().Revision()
	rev, err := ParseRevision(Revision(now))
	must.NoError(t, err)
	test.Eq(t, now, rev)
	rev, err = ParseRevision("")
	must.NoError(t, err)
	test.Eq(t, 0, rev)
	_, err = ParseRevision("the last")
	must.Error(t, err)
	test.StrHasPrefix(t, `revision "the last" is not a revision: copy it`, err.Error())
}
