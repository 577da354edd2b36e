package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// Theirs means, in place of a cell's id, the cell in which the person is; with several people, the argument person names
// one. A cell whose id begins with it takes precedence.
const Theirs = "theirs"

// ArgPerson is the argument that names the person of [Theirs]. Every tool that takes a cell id accepts it, and none lists
// it.
const ArgPerson = "person"

type personKey struct{}

// WithPerson returns a context in which [Theirs] is the cell of a person, by name or username.
func WithPerson(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

// theirCell returns a function that returns the id of the cell that [Theirs] means in a call.
func theirCell(ctx context.Context, doc *session.Document) func() (string, error) {
	return func() (string, error) {
		person, _ := ctx.Value(personKey{}).(string)
		at, err := doc.Company().Theirs(person)
		return at.Cell, err
	}
}

// isTheirs reports whether an id means the cell of a person.
func (v View) isTheirs(id string) bool {
	return id == Theirs && v.theirs != nil && len(v.gone(id)) == 0 &&
		!slices.ContainsFunc(v.Now, func(c ydoc.Cell) bool { return strings.HasPrefix(c.ID, id) })
}

// findTheirs returns the index among v.Now of the cell of a person.
func (v View) findTheirs(what string) (int, error) {
	id, err := v.theirs()
	if err != nil {
		return 0, fmt.Errorf("%s %q: %w", what, Theirs, err)
	}
	at := slices.IndexFunc(v.Now, func(c ydoc.Cell) bool { return c.ID == id })
	if at < 0 { // the cell was added after the view was made
		return 0, fmt.Errorf("%s %q: they just moved to another cell: call again", what, Theirs)
	}
	v.touch(id)
	return at, nil
}
