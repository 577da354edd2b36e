package people

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// A Person is somebody else in a document's room, with all their tabs.
type Person struct {
	// Name is what JupyterLab shows. Several may have one name; the username, where there is one, tells them apart.
	Name, Username string
	// Agent says that it is an agent like this one, and no person.
	Agent bool
	// Status is what an agent says that it does, zero if it does not.
	Status awareness.Status
	// Places are where their tabs are, the one that moved or typed last first, and those of which nothing is known last.
	Places []Place
}

// A Place is where one tab is in a document.
type Place struct {
	// Client is the tab's Yjs client id.
	Client uint64
	// Replica is the id under which its edits are known: Client, but for one of several agents that edit through one replica.
	Replica uint64
	// Cell is the cell that the tab says is active, or where it does not say, the cell with the caret; "" if neither is known.
	Cell  string
	Index int // of the cell; -1 without
	// Caret says that a caret is shown: in a text, or in the cell. Anchor and Head are then where the selection begins and
	// where the caret is, in UTF-16 units, and From and To its ends.
	Caret        bool
	Anchor, Head int
	From, To     Position
	// Selected is the selected text, "" if only a caret is there, or where that is not known; Cut that it is only the
	// beginning and end of it.
	Selected string
	Cut      bool
	// Moved and Typed are when the tab's caret last moved, and when text last came from it; zero if not since we know it.
	Moved, Typed time.Time
}

// Last is when the tab last moved or typed, zero if that is not known.
func (p Place) Last() time.Time {
	if p.Typed.After(p.Moved) {
		return p.Typed
	}
	return p.Moved
}

// InNotebook are those who are in a notebook's room, in the order of their first tab's client id. path is the notebook's.
func InNotebook(peers []rtc.Peer, nb *ydoc.Notebook, path string, typing *Typing) []Person {
	all := gather(peers, typing, func(p rtc.Peer, at *Place) {
		if p.ActiveCell != "" && (p.ActivePath == "" || Path(p.ActivePath) == path) {
			if i, ok := nb.Index(p.ActiveCell); ok {
				at.Cell, at.Index = p.ActiveCell, i
			}
		}
		for _, c := range primaryFirst(p.Cursors) {
			s, ok := nb.ResolveSelection(c.Anchor, c.Head)
			if !ok || at.Cell != "" && p.ActiveCell != s.Cell.NBID {
				continue // a tab leaves its caret where it was when the person goes on to another cell by keys, or clicks an output
			}
			at.Cell, at.Index, at.Caret = s.Cell.ID, s.Index, true
			at.selects(s.Cell.Source, s.Anchor, s.Head)
			return
		}
		if i, ok := nb.Index(p.Status.Cell); ok && at.Cell == "" {
			at.Cell, at.Index = p.Status.Cell, i
		}
	})
	for i := range all {
		status := &all[i].Status
		if at, ok := nb.Index(status.Cell); ok && strings.HasPrefix(status.Text, Running) {
			status.Text = Running + strconv.Itoa(at)
		}
	}
	return all
}

// Running is how the status of an agent begins that runs a cell. The cell's number follows, which counts from 1 where people
// see it, and from 0, as all of ours do, in a [Person].
const Running = "running cell "

// InText are those who are in a text's room.
func InText(peers []rtc.Peer, text *ydoc.Text, typing *Typing) []Person {
	return gather(peers, typing, func(p rtc.Peer, at *Place) {
		for _, c := range primaryFirst(p.Cursors) {
			head, ok := text.ResolvePosition(c.Head)
			if !ok {
				continue
			}
			anchor, ok := text.ResolvePosition(c.Anchor)
			if !ok {
				anchor = head
			}
			at.Caret = true
			at.selects(text.String(), anchor, head)
			return
		}
	})
}

// primaryFirst are a tab's cursors, which are all in one editor, the main one first.
func primaryFirst(cursors []awareness.Cursor) []awareness.Cursor {
	var primary, others []awareness.Cursor
	for _, c := range cursors {
		if c.Primary {
			primary = append(primary, c)
		} else {
			others = append(others, c)
		}
	}
	return append(primary, others...)
}

// gather makes persons of tabs. A tab that gives no username is somebody of its own.
func gather(peers []rtc.Peer, typing *Typing, place func(rtc.Peer, *Place)) []Person {
	var out []Person
	for _, p := range peers {
		at := Place{Client: p.ClientID, Replica: p.Replica, Index: -1, Moved: p.Moved, Typed: typing.By(p.ClientID)}
		place(p, &at)
		mine := slices.IndexFunc(out, func(one Person) bool {
			return one.Username != "" && one.Username == p.User.Username && one.Agent == p.Agent
		})
		if mine < 0 {
			out = append(out, Person{Name: nameOf(p.User), Username: p.User.Username, Agent: p.Agent, Status: p.Status})
			mine = len(out) - 1
		}
		out[mine].Places = append(out[mine].Places, at)
	}
	for _, one := range out {
		slices.SortStableFunc(one.Places, func(a, b Place) int { return b.Last().Compare(a.Last()) })
	}
	return out
}

// nameOf is the name that JupyterLab shows.
func nameOf(u awareness.User) string {
	return cmp.Or(u.DisplayName, u.Name, u.Username, "somebody")
}
