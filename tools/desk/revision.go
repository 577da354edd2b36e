package desk

import (
	"fmt"
	"strconv"

	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Revision writes a revision for clients: as a string, because JSON readers may round a number that large.
func Revision(r ydoc.Revision) string { return strconv.FormatUint(uint64(r), 10) }

// RevisionText describes the revision of something in a result.
func RevisionText(of string) string {
	return "Changes exactly when " + of + " does; give it with a change made from what you read."
}

// ParseRevision reads a revision that a client gives back; 0 for "". An error begins with the word revision.
func ParseRevision(s string) (ydoc.Revision, error) {
	if s == "" {
		return 0, nil
	}
	rev, err := strconv.ParseUint(s, 10, 64)
	if err != nil || rev == 0 {
		return 0, fmt.Errorf("revision %s is not a revision: copy it from the answer in which you read the cell; nothing was changed", words.Quoted(s))
	}
	return ydoc.Revision(rev), nil
}

// Forced is the argument that lets a call destroy what the client has not read, and disturb somebody who is typing.
type Forced struct {
	Force bool `json:"force,omitempty" jsonschema:"Even if you have not read it as it is, or somebody types there."`
}

// Refine implements tool.Refiner.
func (Forced) Refine(f tool.Fields) { f.Field("force").Default(false) }
