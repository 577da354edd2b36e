package session

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/collab/presence"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/origin"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// Person is another participant in a document's room.
type Person struct {
	Name   string // as JupyterLab shows it
	Agent  bool   // an agent like this one
	CellID string // the caret's cell; "" if no caret is shown
	Index  int    // of that cell; -1 if none
	Offset int    // of the caret in the cell's source or the text, in UTF-16 code units
	Caret  bool   // a caret is shown, so Offset is valid
	// Moved is when they last moved their caret, or typed; zero if they have not since we joined.
	Moved time.Time
}

// People lists the others in the document's room, one entry for each tab, with their carets.
func (d *Document) People() []Person {
	var out []Person
	for _, p := range d.Company().People {
		for _, at := range p.Places {
			one := Person{Name: p.Name, Agent: p.Agent, Index: -1, Offset: at.Head, Caret: at.Caret, Moved: at.Moved}
			if at.Caret {
				one.CellID, one.Index = at.Cell, at.Index
			}
			out = append(out, one)
		}
	}
	return out
}

// Company returns the others in the document's room, and whether all of them are known.
func (d *Document) Company() people.Company { return companyIn(d, d.current()) }

// companyIn is Company for a room.
func companyIn(d *Document, lv *live) people.Company {
	c := people.Company{Known: people.KnownSince(lv.room.Since())}
	c.People = places(d, lv, people.Without(lv.room.Peers(), d.m.Presence.clients.Username()))
	return c
}

// places returns the places of peers in a document.
func places(d *Document, lv *live, peers []rtc.Peer) []people.Person {
	switch {
	case len(peers) == 0:
		return nil
	case lv.text != nil:
		return people.InText(peers, lv.text, &lv.typing)
	}
	return people.InNotebook(peers, lv.nb, d.Path().String(), &lv.typing)
}

// Colleagues returns the other clients of this program in a document, from the view of one client.
func Colleagues(d *Document, client string) []people.Person {
	return places(d, d.current(), d.seats.Seen(client))
}

// Clients returns the clients as people see them.
func (p *Presence) Clients() *presence.Clients { return p.clients }

// Said sets a client's description of itself.
func (p *Presence) Said(client string, s presence.Self) {
	if client != "" && p.clients.Said(client, s) {
		p.renamed()
	}
}

// Met records the name of a person in a room or on the server, which clients must not have. It does not block.
func (p *Presence) Met(name string) {
	if p.clients.Met(name) {
		p.m.Go(func(context.Context) { p.renamed() })
	}
}

// met is Met for receivers of messages, which must not block.
func (p *Presence) met(peer rtc.Peer) { p.Met(cmp.Or(peer.User.DisplayName, peer.User.Name)) }

// renamed updates changed names in all documents.
func (p *Presence) renamed() {
	for _, d := range documents(p.m, anyEntry) {
		d.seats.Renamed()
	}
}

// Waiting shows that a client waits for a person, until end is called: in the documents that it is in, of those named or, if
// none are named, of all.
func (p *Presence) Waiting(client string, docs ...*Document) (end func()) {
	if len(docs) == 0 {
		docs = documents(p.m, anyEntry)
	}
	key := "waiting " + strconv.FormatUint(p.waits.Add(1), 10)
	for _, d := range docs {
		d.seats.Begin(client, key, presence.Waiting, "")
	}
	return func() {
		for _, d := range docs {
			d.seats.End(client, key)
		}
	}
}

// wrote shows that a client has written in cells. Outputs of its runs do not belong to a call, and do not count.
func wrote(ctx context.Context, d *Document, cells []string) {
	a := origin.Of(ctx)
	if a.Call == 0 {
		return
	}
	cell := ""
	if len(cells) > 0 {
		cell = cells[0]
	}
	d.seats.Wrote(a.Client, cell)
}

// goesOn shows for a run's owner that the run has begun, waits for an answer, or has ended.
func (p *Presence) goesOn(r *run.Run) {
	for _, d := range documents(p.m, anyEntry) {
		switch st := r.Status(); {
		case d.cells == nil:
		case st.State.Ended():
			d.seats.End(r.Owner, r.ID)
		case d.Path() != r.Path:
		case st.Asking != nil:
			d.seats.Begin(r.Owner, r.ID, presence.Waiting, r.CellID)
		default:
			text := "running code"
			if i, ok := d.Notebook().Index(r.CellID); ok {
				text = people.Running + strconv.Itoa(i+1)
			}
			d.seats.Begin(r.Owner, r.ID, text, r.CellID)
		}
	}
}

// inLobby notifies the lobby of the clients in a document.
type inLobby struct{ *Document }

func (d inLobby) Came(u awareness.User) { d.m.Presence.lobby.Came(u, d.Path()) }
func (d inLobby) Left(username string)  { d.m.Presence.lobby.Left(username, d.Path()) }

// Lobby returns the users on the server, as far as they announce themselves, while a document is open.
func (p *Presence) Lobby() people.Lobby {
	peers, since := p.lobby.Others()
	return people.Lobby{Fronts: people.FrontsOf(people.Without(peers, p.clients.Username())), Known: people.KnownSince(since)}
}

// LobbyPeers returns the users on the server, as they announce themselves.
func (p *Presence) LobbyPeers() []rtc.Peer {
	peers, _ := p.lobby.Others()
	return people.Without(peers, p.clients.Username())
}

// Point shows the caret of the calling client in a cell of a notebook or, if cell is "", in a text document, at an offset in
// UTF-16 code units; an offset past the end means the end. If the cell does not exist, it does nothing.
func (d *Document) Point(ctx context.Context, cell string, offset int) {
	lv := d.current()
	caret, ok, err := caretIn(lv, cell, offset)
	switch {
	case err != nil:
		d.m.log.Debug("no caret", "path", d.Path(), "cell", cell, "error", err)
	case ok:
		d.seats.Point(origin.Of(ctx).Client, cell, caret)
	}
}

// caretIn returns a caret in a cell's source, or in the text; ok is false if the place does not exist.
func caretIn(lv *live, cell string, offset int) (caret awareness.Cursor, ok bool, err error) {
	var pos []byte
	if lv.text != nil {
		pos, err = lv.text.RelativePosition(min(offset, lv.text.Len()))
		ok = cell == ""
	} else {
		var c ydoc.Cell
		if c, ok = lv.nb.Cell(cell); ok {
			pos, err = lv.nb.RelativePosition(cell, min(offset, textdiff.UTF16Len(c.Source)))
		}
	}
	return awareness.Cursor{Anchor: pos, Head: pos, Primary: true, Empty: true}, ok, err
}
