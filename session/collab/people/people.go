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

// A Person is another user in a document's room, with all their tabs.
type Person struct {
	// Name is the name that JupyterLab shows. Several people may have the same name; the username, if any, distinguishes them.
	Name, Username string
	// Agent is set for an agent like this one.
	Agent bool
	// Status is an agent's status, zero if it has none.
	Status awareness.Status
	// Places are the positions of their tabs: the tab that moved or typed last comes first, tabs without known activity last.
	Places []Place
}

// A Place is the position of one tab in a document.
type Place struct {
	// Client is the tab's Yjs client id.
	Client uint64
	// Replica is the client id of its edits. It differs from Client only if several agents edit through one replica.
	Replica uint64
	// Cell is the tab's active cell or, if the tab does not name it, the cell with the caret; "" if neither is known.
	Cell  string
	Index int // of the cell; -1 without
	// Caret is set if the text or the cell shows a caret. Anchor is then the start of the selection and Head the caret, in
	// UTF-16 units; From and To are the selection's ends.
	Caret        bool
	Anchor, Head int
	From, To     Position
	// Selected is the selected text, "" if only a caret is shown, or if the text is not known; Cut is set if it is only the
	// beginning and end of the text.
	Selected string
	Cut      bool
	// Moved and Typed are when the tab's caret last moved, and when it last sent text; zero if it has not since we joined.
	Moved, Typed time.Time
}

// Last returns when the tab last moved or typed, zero if that is not known.
func (p Place) Last() time.Time {
	if p.Typed.After(p.Moved) {
		return p.Typed
	}
	return p.Moved
}

// InNotebook returns the users in a notebook's room, in the order of their first tab's client id. path is the notebook's.
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
				continue // a tab keeps its old caret when the person goes to another cell with keys, or clicks an output
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

// Running is the prefix of the status of an agent that runs a cell. The cell's number follows: it counts from 1 for people,
// and from 0 in a [Person], like all our indexes.
const Running = "running cell "

// InText returns the users in a text's room.
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

// primaryFirst returns a tab's cursors, which are all in one editor, with the main one first.
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

// gather groups tabs by person. A tab without a username is a separate person.
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

// Unnamed is the name of a person whom awareness has not named.
const Unnamed = "a person"

// nameOf returns the name that JupyterLab shows.
func nameOf(u awareness.User) string {
	return cmp.Or(u.DisplayName, u.Name, u.Username, Unnamed)
}

// maxPath is the maximum length of a path from a tab.
const maxPath = 4096

// Path returns a path from a tab in the form of the Contents API: without the drive name of older versions, and without a
// leading slash.
func Path(p string) string {
	p = strings.TrimPrefix(strings.TrimPrefix(p, "RTC:"), "/")
	if len(p) > maxPath {
		return ""
	}
	return p
}

// documentOf returns the path of the document that a tab has in front, "" if it is something else. "notebook:a.ipynb" means
// that a notebook widget shows it.
func documentOf(current string) string {
	_, path, _ := strings.Cut(current, ":")
	return Path(path)
}
