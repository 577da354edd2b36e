package chatwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/chat"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/mentions"
	"github.com/nbduet/nbduet/ydoc"
)

// obeyWithin bounds the work for one message.
const obeyWithin = 30 * time.Second

// target is the subject of a command: cells of a notebook, none for all of it.
type target struct {
	path  jupyter.Path
	cells []string
}

// obey carries out a command to this program, and confirms it in the chat. It reports false if nothing changed.
func (cs *Chats) obey(c *chat.Chat, m chat.Message, command mentions.Command) bool {
	ctx, stop := context.WithTimeout(cs.ctx, obeyWithin)
	defer stop()
	targets, err := cs.targets(ctx, c, m, command)
	if err != nil {
		if command == mentions.GoOn && !held(cs.m) {
			return false
		}
		cs.say(ctx, c, err.Error())
		return true
	}
	var done []string
	did := false
	for _, t := range targets {
		says, ok := cs.obeyIn(ctx, t, command, editguard.Who{Name: nameOf(m.Sender), Username: m.Sender.Username})
		did = did || ok
		done = append(done, says)
	}
	if did {
		cs.say(ctx, c, strings.Join(done, "\n"))
	}
	return did
}

// errWhich asks for the notebook.
var errWhich = errors.New("Which notebook? Say it again with the notebook, or a cell of it, attached.") //nolint:revive,staticcheck // a message for people

// targets returns the subjects of a message's command: its attachments, else the notebook beside the chat, else the only
// notebook open here that people have in front, or, if the notebooks in front are unknown, the only one open here.
func (cs *Chats) targets(ctx context.Context, c *chat.Chat, m chat.Message, command mentions.Command) (all []target, err error) {
	for _, a := range m.Attachments {
		path, err := jupyter.ParsePath(a.Path)
		if a.Type != "notebook" || err != nil || path.IsRoot() {
			continue
		}
		t := target{path: path}
		for _, cell := range a.Cells {
			if command != mentions.HandsOffNotebook {
				t.cells = append(t.cells, cell.ID)
			}
		}
		all = append(all, t)
	}
	if len(all) > 0 {
		return all, nil
	}
	beside, err := Beside(c.Path())
	if err == nil {
		doc, err := cs.m.Open(ctx, beside)
		if err == nil {
			doc.Release()
		}
		if !errors.Is(err, jupyter.ErrNotFound) {
			return []target{{path: beside}}, nil
		}
	}
	var fronts []jupyter.Path
	known := false
	for _, f := range cs.m.Presence.Lobby().Fronts {
		for _, said := range f.Documents {
			path, err := jupyter.ParsePath(said)
			if err != nil || f.Agent || !strings.HasSuffix(said, notebook) {
				continue
			}
			known = true
			if cs.m.IsOpen(path) && !slices.Contains(fronts, path) {
				fronts = append(fronts, path)
			}
		}
	}
	if !known {
		fronts = notebooks(cs.m, func(*ydoc.Notebook) bool { return true })
	}
	if len(fronts) != 1 {
		return nil, errWhich
	}
	return []target{{path: fronts[0]}}, nil
}

// notebook is the file extension of notebooks.
const notebook = ".ipynb"

// Beside returns the path of the notebook that belongs to a chat.
func Beside(path jupyter.Path) (jupyter.Path, error) {
	return jupyter.ParsePath(strings.TrimSuffix(path.String(), ".chat") + notebook)
}

// notebooks returns the open notebooks that match wanted.
func notebooks(m *session.Manager, wanted func(*ydoc.Notebook) bool) (open []jupyter.Path) {
	for _, doc := range m.HoldUnder(func(jupyter.Path) bool { return true }) {
		if nb := doc.Notebook(); nb != nil && wanted(nb) {
			open = append(open, doc.Path())
		}
		doc.Release()
	}
	return open
}

// held reports whether a person's "hands off" applies to an open notebook.
func held(m *session.Manager) bool {
	return len(notebooks(m, func(nb *ydoc.Notebook) bool { return len(editguard.Holds(nb)) > 0 })) > 0
}

// obeyIn carries out a command in one notebook. It returns the answer, and whether there was anything to do.
func (cs *Chats) obeyIn(ctx context.Context, t target, command mentions.Command, who editguard.Who) (says string, did bool) {
	name := t.path.String()
	doc, err := cs.m.Open(ctx, t.path)
	if err != nil {
		cs.m.Log().Warn("hands off in a chat", "path", t.path, "error", err)
		return fmt.Sprintf("I could not open %s, so nothing has changed there.", name), command != mentions.GoOn
	}
	defer doc.Release()
	var places []string
	cells := t.cells
	if len(cells) == 0 {
		cells = []string{""}
	}
	for _, cell := range cells {
		place := name
		if cell != "" {
			at, there := doc.Notebook().Index(cell)
			if !there {
				continue
			}
			place = fmt.Sprintf("cell %d of %s", at+1, name)
		}
		if session.Obey(ctx, doc, command, cell, who) {
			places = append(places, place)
		}
	}
	switch {
	case len(places) == 0:
		return fmt.Sprintf("The cell is no longer in %s, so nothing has changed.", name), command != mentions.GoOn
	case command != mentions.GoOn:
		return fmt.Sprintf("Hands off %s until you say “@Duet go on”.", strings.Join(places, ", ")), true
	}
	return "Going on with " + strings.Join(places, ", ") + "." + still(doc, t.cells), true
}

// still lists the remaining holds on a notebook, or on cells in it.
func still(doc *session.Document, cells []string) string {
	var left []string
	for _, h := range editguard.Holds(doc.Notebook()) {
		switch at, there := doc.Notebook().Index(h.Cell); {
		case h.Notebook():
			left = append(left, "the notebook by "+h.Name)
		case there && (len(cells) == 0 || slices.Contains(cells, h.Cell)):
			left = append(left, fmt.Sprintf("cell %d by %s", at+1, h.Name))
		}
	}
	if len(left) == 0 {
		return ""
	}
	return " Still held: " + strings.Join(left, ", ") + "."
}

// warn says in the open chats that a notebook is suspect: in its own chat, or else in all.
func (cs *Chats) warn(path jupyter.Path, loss string) {
	ctx, stop := context.WithTimeout(cs.ctx, obeyWithin)
	defer stop()
	all := cs.Chats()
	if own := slices.IndexFunc(all, func(c *chat.Chat) bool { at, err := Beside(c.Path()); return err == nil && at == path }); own >= 0 {
		all = all[own : own+1]
	}
	for _, c := range all {
		cs.say(ctx, c, fmt.Sprintf("I have stopped in %s: %s, and I saw no person do that. Ask me to bring the cells back, or say “@Duet go on” in the notebook if it is right.", path, loss))
	}
}
