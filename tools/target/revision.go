package target

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// Revision writes a revision for clients.
func Revision(r ydoc.Revision) string { return r.String() }

// Now is the revision of a notebook that is about to be read, or was changed, to be answered: what changes from then on
// can be told, see [changelog.Log.Seal]. A notebook's revision is answered as it was before its cells are read: one that is
// too old is harmless.
func Now(doc *session.Document) ydoc.Revision { return doc.History().Seal() }

// fileMark begins the revision of a file. It is no digit, so that none of a document begins so.
const fileMark = "-"

// FileRevision is the revision of a file that has no room, made from its text. It is never one of a document.
func FileRevision(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return fileMark + strconv.FormatUint(h.Sum64(), 36)
}

// ParseRevision reads a revision that a client gives back; 0 for "", and [ydoc.Foreign] for one that no document of this
// process has. An error begins with the word revision.
func ParseRevision(s string) (ydoc.Revision, error) {
	return ParseRevisionOf(s, "the answer in which you read the cell")
}

// ParseRevisionOf is ParseRevision with the place from which it should have been copied.
func ParseRevisionOf(s, from string) (ydoc.Revision, error) {
	switch {
	case s == "":
		return 0, nil
	case strings.HasPrefix(s, fileMark):
		return ydoc.Foreign, nil
	}
	rev, err := ydoc.ParseRevision(s)
	if err != nil {
		return 0, fmt.Errorf("revision %s is not a revision: copy it from %s; nothing was changed", textfmt.Quoted(s), from)
	}
	return rev, nil
}

// Forced is the argument that lets a call destroy what the client has not read, and disturb somebody who is typing.
type Forced struct {
	Force bool `json:"force,omitempty" jsonschema:"Even if you have not read it as it is, or somebody types there." default:"false"`
}

// Reasoned is the argument with which a call says why it edits, for who looks at what can be taken back. It is taken of
// every tool; those that have this are listed with it.
type Reasoned struct {
	Reason string `json:"reason,omitempty" validate:"max=200"`
}

// MaxReason is how many characters of a reason are kept.
const MaxReason = 200
