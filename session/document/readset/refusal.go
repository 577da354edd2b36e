package readset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// maxRevealed bounds a source that a refusal shows, in bytes.
	maxRevealed = 4 << 10
	// maxRefused is the maximum number of cells in one refusal.
	maxRefused = 4
)

// OutdatedError means that a change was refused because the client has not read the text that it would replace. The same
// call is refused again.
type OutdatedError struct {
	why string
	// Shown is set if the error shows the unread text, and the argument to pass next.
	Shown bool
}

func (e *OutdatedError) Error() string { return "nothing was changed: " + e.why }

// The advice to a client whose change was refused, by the argument that it gave.
const (
	adviceContent  = "Give this revision to replace it, or other content, which counts as a change from this text; or force true"
	adviceDeletion = "Give this revision to delete it, or force true"
	adviceMove     = "Give this revision to move it, or force true"
	adviceSplit    = "Give this revision, and lines of this text"
	adviceWords    = "Give words of this text"
)

// refused returns the error for a cell that a client may not change or delete yet. It shows the cell if that is not too
// long.
func (r Reader) refused(now ydoc.Cell, change textID, advice, format string, args ...any) error {
	why := strings.TrimSuffix(fmt.Sprintf(format, args...), "\n")
	if shown := r.reveal(now, change); shown != "" {
		return &OutdatedError{why + "\n" + shown + advice, true}
	}
	return &OutdatedError{why + "\nRead it, then give its revision; or force true", false}
}

// refusedAgain returns the error for a repeated change of a cell that has not changed since the change was refused.
func (r Reader) refusedAgain(now ydoc.Cell, advice string) error {
	return &OutdatedError{fmt.Sprintf("this was just refused, and %s is as it was shown then, at revision \"%s\". %s", named(now), now.Revision, advice), true}
}

// Reveal returns a cell as a refusal shows it to a client that has given it a new source, or nil; "" if it is too long. Each
// line of the source begins with a bar, to separate it from the surrounding text.
func (r Reader) Reveal(now ydoc.Cell, source *string) string {
	if source == nil {
		return r.reveal(now, deletion)
	}
	full, err := restored(r, now, *source)
	if err != nil {
		full = *source
	}
	return r.reveal(now, r.memory.texts.id(full))
}

func (r Reader) reveal(now ydoc.Cell, change textID) string {
	source, _ := datauri.Abbreviate(now.Source)
	short := len(source) <= maxRevealed
	r.refuse(now.ID, change, now.Source, now.Revision, short)
	if !short {
		return ""
	}
	return fmt.Sprintf("It is now, at revision \"%s\":\n| %s\n", now.Revision, strings.ReplaceAll(strings.TrimSuffix(source, "\n"), "\n", "\n| "))
}

// refusedOf calls may for all parts of a call, and returns the refusals as one error, nil without any.
func refusedOf[T any](all []T, may func(T) error) error {
	var refusals []*OutdatedError
	for _, one := range all {
		var no *OutdatedError
		if err := may(one); errors.As(err, &no) {
			refusals = append(refusals, no)
		} else if err != nil {
			return err
		}
		if len(refusals) == maxRefused {
			break
		}
	}
	if len(refusals) == 0 {
		return nil
	}
	whole := *refusals[0]
	for _, no := range refusals[1:] {
		whole.why += "\n" + no.why
		whole.Shown = whole.Shown && no.Shown
	}
	return &whole
}
