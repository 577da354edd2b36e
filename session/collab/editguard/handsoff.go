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
	// prefix begins the keys of holds in the room's state. A key continues with the cell's id, or whole, a colon, and the
	// username.
	prefix = "nbduet:hands_off:"
	// whole means the notebook.
	whole = "*"
)

// A Hold is a cell or notebook on which one person has said hands off.
type Hold struct {
	// Cell is the cell's id, "*" for the whole notebook.
	Cell           string
	Name, Username string
	Since          time.Time
	// Suspect describes the loss of a notebook that this program holds because its room may be broken; "" for a
	// person's hold.
	Suspect string
	// Before is the revision of the journal from before that.
	Before string
	// Stop is set if the person has pressed Stop in the tab, which holds the notebook and cancels the runs in it.
	Stop bool
}

// Notebook reports whether it covers the whole notebook.
func (h Hold) Notebook() bool { return h.Cell == whole }

// A Who is a person who says hands off, or go on. Username identifies the person; Name is the display name.
type Who struct{ Name, Username string }

// id returns the identifying name.
func (w Who) id() string { return cmp.Or(w.Username, w.Name) }

// Document is an open notebook.
type Document interface {
	Notebook() *ydoc.Notebook
	// Settled returns when the room has all earlier edits.
	Settled(ctx context.Context) error
}

// errNoNotebook means that a document is not a notebook.
var errNoNotebook = errors.New("hands off: it is not a notebook")

// HandsOff forbids our agents, in any process, to change a cell, or with "" the notebook, until [GoOn]. It returns when the
// room has the hold. Holds on deleted cells are removed.
func HandsOff(ctx context.Context, doc Document, cell string, who Who) error {
	if who.id() == "" {
		return errors.New("hands off: the person is unknown")
	}
	return change(ctx, doc, func(nb *ydoc.Notebook) map[string]any {
		entries := map[string]any{}
		for _, h := range holdsIn(nb.StateEntries(prefix)) {
			if _, there := nb.Index(h.Cell); !there && !h.Notebook() {
				entries[h.key()] = nil
			}
		}
		h := Hold{Cell: cmp.Or(cell, whole), Name: who.Name, Username: who.id(), Since: time.Now()}
		entries[h.key()] = h.entry()
		return entries
	})
}

// GoOn lifts a person's holds on a cell and on the notebook; on all cells if cell is "". If the person has none of these, it
// lifts those of people who have left the room; present are the usernames of the people in it. still are the remaining holds
// on the cell and the notebook by other people.
func GoOn(ctx context.Context, doc Document, cell string, who Who, present []string) (still []Hold, err error) {
	concerns := func(h Hold) bool { return cell == "" || h.Cell == cell || h.Notebook() }
	err = change(ctx, doc, func(nb *ydoc.Notebook) map[string]any {
		var own, others []Hold
		for _, h := range holdsIn(nb.StateEntries(prefix)) {
			switch {
			case !concerns(h):
			case h.Username == who.id(), h.Suspect != "":
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

// Holds returns the holds of people, in the order in which they were made, except those on deleted cells.
func Holds(nb *ydoc.Notebook) []Hold {
	return slices.DeleteFunc(holdsIn(nb.StateEntries(prefix)), func(h Hold) bool {
		_, there := nb.Index(h.Cell)
		return !there && !h.Notebook()
	})
}

// Stops returns the holds of people who have pressed Stop in a notebook; none in a text, where nb is nil.
func Stops(nb *ydoc.Notebook) []Hold {
	if nb == nil {
		return nil
	}
	return slices.DeleteFunc(holdsIn(nb.StateEntries(prefix+whole)), func(h Hold) bool { return !h.Stop })
}

// change writes entries, and waits until the room has them. If the room was lost in the meantime, it repeats that once in
// the new room.
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

// entry returns the value of the hold in the state.
func (h Hold) entry() map[string]any {
	e := map[string]any{"name": h.Name, "username": h.Username, "since": h.Since.UTC().Format(time.RFC3339Nano)}
	if h.Suspect != "" {
		e["suspect"], e["before"] = h.Suspect, h.Before
	}
	return e
}

// holdsIn reads the holds of a state. Any client can write there, so malformed entries are ignored.
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
		suspect, _ := said["suspect"].(string)
		before, _ := said["before"].(string)
		holds = append(holds, Hold{cell, cleaned(name), by, since.Local(), cleaned(suspect), cleaned(before), cell == whole && said["stop"] == true})
	}
	slices.SortStableFunc(holds, func(a, b Hold) int { return a.Since.Compare(b.Since) })
	return holds
}

// InFile returns the hold in the metadata of a cell, which stays with the file: [CodeHandsOff] or [CodeAsk] in "nbduet" is true,
// or has the "name" of a person and the time in "since".
func InFile(code, cell string, metadata map[string]any) (h Hold, ok bool) {
	ours, _ := metadata["nbduet"].(map[string]any)
	said, named := ours[code].(map[string]any)
	name, _ := said["name"].(string)
	at, _ := said["since"].(string)
	since, _ := time.Parse(time.RFC3339Nano, at) // else zero, as if it were not known
	return Hold{Cell: cell, Name: cleaned(name), Since: since.Local()}, named || ours[code] == true
}

// maxName is the maximum length of a shown name, in characters.
const maxName = 60

// cleaned returns a name that fits in a line.
func cleaned(name string) string {
	name = strings.Join(strings.Fields(textfmt.Plain(name)), " ")
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	return name
}
