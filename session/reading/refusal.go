package reading

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

const (
	// maxRevealed bounds a source that a refusal shows, in bytes.
	maxRevealed = 4 << 10
	// maxRefused is how many cells one refusal is about.
	maxRefused = 4
)

// refused is the error for a cell that a client may not change or delete yet. It shows the cell, if that is not too long,
// so that the client knows it from then on: the same call again goes through.
func (r Reader) refused(now ydoc.Cell, format string, args ...any) error {
	why := strings.TrimSuffix(fmt.Sprintf(format, args...), "\n")
	if shown := r.Reveal(now); shown != "" {
		return &OutdatedError{r.doc.Path(), now.ID, why + "\n" + shown + "If you mean that, repeat the call, with this revision or without one", true}
	}
	return &OutdatedError{r.doc.Path(), now.ID, why + "\nRead it, then repeat the call; or give force true", false}
}

// Reveal returns a cell as a refusal shows it to a client, which knows it from then on; "" if it is too long for that. Each
// line of the source is behind a bar, so that it cannot be mistaken for what is around it.
func (r Reader) Reveal(now ydoc.Cell) string {
	if len(now.Source) > maxRevealed {
		return ""
	}
	r.Answer(now)
	return fmt.Sprintf("It is now, at revision \"%s\":\n| %s\n", now.Revision, strings.ReplaceAll(strings.TrimSuffix(now.Source, "\n"), "\n", "\n| "))
}

// refusedOf asks of all that a call is about whether it may, and returns the refusals as one error, nil if there are none.
func refusedOf[T any](all []T, may func(T) error) error {
	var no refusals
	for _, one := range all {
		if err := no.add(may(one)); err != nil {
			return err
		}
		if no.full() {
			break
		}
	}
	return no.err()
}

// refusals are those of one call.
type refusals []*OutdatedError

// add takes an error that is a refusal, and returns any other.
func (r *refusals) add(err error) error {
	var no *OutdatedError
	if !errors.As(err, &no) {
		return err
	}
	*r = append(*r, no)
	return nil
}

// full reports whether no more should be added.
func (r refusals) full() bool { return len(r) >= maxRefused }

// err is one error for all, nil if there is none.
func (r refusals) err() error {
	if len(r) == 0 {
		return nil
	}
	all := *r[0]
	for _, no := range r[1:] {
		all.why += "\n" + no.why
		all.Shown = all.Shown && no.Shown
	}
	return &all
}
