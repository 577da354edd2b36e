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

// Now returns the revision of a notebook that is about to be read, or was changed, for an answer: changes from then on can
// be listed, see [changelog.Log.Seal]. Call it before reading the cells: a revision that is too old is harmless.
func Now(doc *session.Document) ydoc.Revision { return doc.History().Seal() }

// fileMark begins the revision of a file. It is not a digit, so that no revision of a document begins with it.
const fileMark = "-"

// FileRevision returns the revision of a file without a room, computed from its text. It never equals one of a document.
func FileRevision(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return fileMark + strconv.FormatUint(h.Sum64(), 36)
}

// ParseRevision parses a revision that a client gives back; 0 for "", and [ydoc.Foreign] for one of a file or of another
// process. An error begins with the word revision.
func ParseRevision(s string) (ydoc.Revision, error) {
	return ParseRevisionOf(s, "the answer in which you read the cell")
}

// ParseRevisionOf is ParseRevision with the place from which the revision should have been copied.
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

// Forced is the argument that lets a call overwrite content that the client has not read, and disturb a person who is
// typing.
type Forced struct {
	Force bool `json:"force,omitempty" jsonschema:"Even if its current state is unread, or a person is typing there." default:"false"`
}

// Reasoned is the argument with which a call says why it edits, for people who look at the edits that can be undone. Every
// tool accepts it; only tools with this type list it.
type Reasoned struct {
	Reason string `json:"reason,omitempty" validate:"max=200"`
}

// MaxReason is the maximum length of a stored reason, in characters.
const MaxReason = 200
