package editguard

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// prefix begins the keys of holds in the room's state. Behind it stand the cell's id, or whole, a colon, and the username.
	prefix = "nbduet:hands_off:"
	// whole stands for the notebook.
	whole = "*"
)

// A Hold is what one person has put under their hands.
type Hold struct {
	// Cell is the cell's id, "*" for the whole notebook.
	Cell           string
	Name, Username string
	Since          time.Time
}

// Notebook reports whether it is the whole notebook.
func (h Hold) Notebook() bool { return h.Cell == whole }

// A Who is a person who says hands off, or go on. Username tells people apart; Name is what they are called.
type Who struct{ Name, Username string }

// id is what tells the person apart.
func (w Who) id() string { return cmp.Or(w.Username, w.Name) }

// Document is an open notebook.
type Document interface {
	Notebook() *ydoc.Notebook
	// Settled returns when the room has all earlier edits.
	Settled(ctx context.Context) error
}

// errNoNotebook says that a document is not a notebook.
var errNoNotebook = errors.New("hands off: it is not a notebook")

// HandsOff puts a cell, or with "" the notebook, under a person's hands: no agent of ours, in any process, changes it until
// [GoOn]. It returns when the room has it. What holds for cells that are gone is forgotten.
func HandsOff(ctx context.Context, doc Document, cell string, who Who) error {
	if who.id() == "" {
		return errors.New("hands off: it is not known who said it")
	}
	return change(ctx, doc, func(nb *ydoc.Notebook) map[string]any {
		entries := map[string]any{}
		for _, h := range holdsIn(nb.StateEntries(prefix)) {
			if _, there := nb.Index(h.Cell); !there && !h.Notebook() {
				entries[h.key()] = nil
			}
		}
		h := Hold{cmp.Or(cell, whole), who.Name, who.id(), time.Now()}
		entries[h.key()] = map[string]any{"name": h.Name, "username": h.Username, "since": h.Since.UTC().Format(time.RFC3339Nano)}
		return entries
	})
}

// GoOn takes back what a person has said of a cell, and of the notebook. One who has said nothing of the two takes back what
// those have said of them who are not in the room any more; present are the usernames of those who are. Said of the notebook,
// with "", it goes for all that the person has said. still are the holds of the cell and of the notebook that others have.
func GoOn(ctx context.Context, doc Document, cell string, who Who, present []string) (still []Hold, err error) {
	concerns := func(h Hold) bool { return cell == "" || h.Cell == cell || h.Notebook() }
	err = change(ctx, doc, func(nb *ydoc.Notebook) map[string]any {
		var own, others []Hold
		for _, h := range holdsIn(nb.StateEntries(prefix)) {
			switch {
			case !concerns(h):
			case h.Username == who.id():
				own = append(own, h)
			default:
				others = append(others, h)
			}
		}
		lifted := own
		if len(own) == 0 {
			lifted = slices.DeleteFunc(slices.Clone(others), func(h Hold) bool { return slices.Contains(present, h.Username) })
		}
		still = slices.DeleteFunc(others, func(h Hold) bool { return slices.Contains(lifted, h) })
		return lo.SliceToMap(lifted, func(h Hold) (string, any) { return h.key(), nil })
	})
	return still, err
}

// Holds are what people have put under their hands, in the order in which they did. What holds for a cell that is gone is
// left out.
func Holds(nb *ydoc.Notebook) []Hold {
	return slices.DeleteFunc(holdsIn(nb.StateEntries(prefix)), func(h Hold) bool {
		_, there := nb.Index(h.Cell)
		return !there && !h.Notebook()
	})
}

// change writes entries, and waits until the room has them. Where the room was lost meanwhile it is done once more, in the
// one that came after it.
func change(ctx context.Context, doc Document, entries func(*ydoc.Notebook) map[string]any) error {
	for again := true; ; again = false {
		nb := doc.Notebook()
		if nb == nil {
			return errNoNotebook
		}
		if todo := entries(nb); len(todo) > 0 {
			if err := nb.SetState(todo); err != nil {
				return err
			}
		}
		if err := doc.Settled(ctx); err != nil {
			return err
		}
		if !again || doc.Notebook() == nb {
			return nil
		}
	}
}

func (h Hold) key() string { return prefix + h.Cell + ":" + h.Username }

// holdsIn reads the holds of a state. Anybody can write there: what is malformed is no hold.
func holdsIn(state map[string]any) (holds []Hold) {
	for _, key := range slices.Sorted(maps.Keys(state)) {
		said, _ := state[key].(map[string]any)
		name, _ := said["name"].(string)
		by, _ := said["username"].(string)
		at, _ := said["since"].(string)
		since, err := time.Parse(time.RFC3339Nano, at)
		cell, ok := strings.CutSuffix(strings.TrimPrefix(key, prefix), ":"+by)
		if !ok || cell == "" || by == "" || err != nil {
			continue
		}
		holds = append(holds, Hold{cell, cleaned(name), by, since.Local()})
	}
	slices.SortStableFunc(holds, func(a, b Hold) int { return a.Since.Compare(b.Since) })
	return holds
}

// maxName is how much of a name is shown.
const maxName = 60

// cleaned is a name that fits in a line.
func cleaned(name string) string {
	name = strings.Join(strings.Fields(textfmt.Plain(name)), " ")
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	return name
}
