package target

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
	"github.com/nbduet/nbduet/ydoc"
)

// touched are the cells that one call names, reads or changes. The answer names the people who are in any of them.
type touched struct {
	agents agents
	client string
	call   uint64 // a hash of the tool and its arguments
	mu     sync.Mutex
	docs   []*touchedDoc
	notes  []string            // about the call's arguments, for the answer
	seeing sync.Mutex          // taken with mu held when a view is made
	seen   []*session.Document // the notebooks of the call
}

// touchedDoc has the touched cells of one notebook.
type touchedDoc struct {
	doc    *session.Document
	view   View // the view that named them
	before people.Company
	cells  map[string]bool
	// at has, by cell id, the agents that were at a cell when it was named.
	at map[string][]string
}

type touchedKey struct{}

// callHash identifies a call with the same arguments.
func callHash(req mcp.CallToolRequest) uint64 {
	h := fnv.New64a()
	args, _ := json.Marshal(req.Params.Arguments) //nolint:errchkjson // it was JSON
	_, _ = fmt.Fprintf(h, "%s %s", req.Params.Name, args)
	return h.Sum64()
}

func (t *touched) fingerprint() uint64 {
	if t == nil {
		return 0
	}
	return t.call
}

// note adds a line to the answer, once.
func (t *touched) note(line string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.notes, line) {
		t.notes = append(t.notes, line)
	}
}

// ActsOn makes the answer say that the call acts on the client's current notebook, because it names none.
func ActsOn(ctx context.Context, path jupyter.Path) {
	t, _ := ctx.Value(touchedKey{}).(*touched)
	t.note("acted on the current notebook, " + path.String())
}

// see records that a call is about a notebook.
func (t *touched) see(doc *session.Document) {
	if t == nil || doc.Notebook() == nil {
		return
	}
	t.seeing.Lock()
	defer t.seeing.Unlock()
	if !slices.Contains(t.seen, doc) {
		t.seen = append(t.seen, doc)
	}
}

// notebooks returns the notebooks of the call so far. Goroutines that the call started may still add others.
func (t *touched) notebooks() []*session.Document {
	t.seeing.Lock()
	defer t.seeing.Unlock()
	return slices.Clone(t.seen)
}

// moved says where the cells are now that others have moved, in the call's notebooks.
func (t *touched) moved() string {
	var lines []string
	seen := t.notebooks()
	for _, doc := range seen {
		line := doc.As(t.client).Moved()
		if line != "" && len(seen) > 1 {
			line = doc.Path().String() + ": " + line
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// failure adds to a refusal which cells have moved. If the refusal names the index of a cell, all indexes then mean the
// current notebook, and the same call is refused again if any of them moved.
func (t *touched) failure(err, why error) error {
	if err == nil {
		return nil
	}
	if cell := refusedCell(why); cell != "" {
		for _, doc := range t.notebooks() {
			if at, ok := doc.Notebook().Index(cell); ok {
				t.list(doc, at)
			}
		}
	}
	line := t.moved()
	if line == "" {
		return err
	}
	for _, doc := range t.notebooks() {
		doc.As(t.client).Refuse(t.call)
	}
	return fmt.Errorf("%w\n%s", err, line)
}

// quotedID matches a quoted word, such as the id of a cell.
var quotedID = regexp.MustCompile(`"[^"\\\s]{5,}"`)

// withShortIDs returns a text with the ids of cells of the call's notebooks in the form of answers in words.
func (t *touched) withShortIDs(text string) string {
	for _, doc := range t.notebooks() {
		reader := doc.As(t.client)
		listed, now, _ := reader.Listed()
		short := View{Listed: listed, Now: now, left: reader.Left()}.ShortIDs()
		text = quotedID.ReplaceAllStringFunc(text, func(id string) string { return `"` + short(strings.Trim(id, `"`)) + `"` })
	}
	return text
}

// list records that the client is shown the index of a cell.
func (t *touched) list(doc *session.Document, at int) {
	doc.As(t.client).ListRange(doc.Notebook().Cells(), at, 1)
}

// See records that a call is about a notebook.
func See(ctx context.Context, doc *session.Document) {
	called, _ := ctx.Value(touchedKey{}).(*touched)
	called.see(doc)
}

// Touch records that a call shows or changes cells of a notebook that no view has named.
func Touch(ctx context.Context, doc *session.Document, ids ...string) {
	rec, _ := ctx.Value(touchedKey{}).(*touched)
	if rec == nil || doc == nil || len(ids) == 0 {
		return
	}
	rec.add(doc, func() View { return ViewNow(ctx, doc) }, ids...)
}

// TouchLater records where people are now, for a call that will change cells that it cannot name yet.
func TouchLater(ctx context.Context, doc *session.Document) {
	if rec, _ := ctx.Value(touchedKey{}).(*touched); rec != nil && doc.Notebook() != nil {
		rec.add(doc, func() View { return ViewNow(ctx, doc) })
	}
}

// TouchCells is Touch of cells.
func TouchCells(ctx context.Context, doc *session.Document, cells []ydoc.Cell) {
	Touch(ctx, doc, lo.Map(cells, func(c ydoc.Cell, _ int) string { return c.ID })...)
}

// TouchRun is Touch of the cell of a run, if its notebook is open.
func TouchRun(ctx context.Context, m *session.Manager, r *run.Run) {
	if r.CellID == "" || r.Path.IsRoot() {
		return
	}
	for _, doc := range m.HoldUnder(func(open jupyter.Path) bool { return open == r.Path }) {
		if doc.Notebook() != nil {
			Touch(ctx, doc, r.CellID)
		}
		doc.Release()
	}
}

// touch records that a call names a cell of the view.
func (v View) touch(id string) {
	if v.touched != nil {
		v.touched.add(v.doc, func() View { return v }, id)
	}
}

// Beside returns the view for naming cells that a call does not touch, such as the one after which another is put.
func (v View) Beside() View {
	v.touched = nil
	return v
}

// add records cells. It also records where people are when the first cell is named, because deleting or moving a cell
// removes their carets.
func (t *touched) add(doc *session.Document, view func() View, ids ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.docs, func(d *touchedDoc) bool { return d.doc == doc })
	if at < 0 {
		d := &touchedDoc{doc: doc, cells: map[string]bool{}, at: map[string][]string{}, before: doc.Company()}
		if len(d.before.People) > 0 {
			d.view = view()
		}
		at, t.docs = len(t.docs), append(t.docs, d)
	}
	for _, id := range ids {
		if d := t.docs[at]; !d.cells[id] {
			d.cells[id] = true
			if are := t.agents.at(doc, id); len(are) > 0 {
				d.at[id] = are
			}
		}
	}
}

// maxAccompany is the maximum number of people that a line names.
const maxAccompany = 5

// lines has the notes, and says who is in the cells, a line for each person.
func (t *touched) lines() (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out = slices.Clone(t.notes)
	for _, d := range t.docs {
		lines := d.lines(t)
		if more := len(lines) - maxAccompany; more > 0 {
			lines = append(lines[:maxAccompany], fmt.Sprintf("and %s in cells of this call", textfmt.Plural(more, "more person")))
		}
		lines = append(lines, d.besides(t.agents)...)
		if len(t.docs) > 1 {
			for i := range lines {
				lines[i] = d.doc.Path().String() + ": " + lines[i]
			}
		}
		out = append(out, lines...)
	}
	return out
}

func (d *touchedDoc) lines(t *touched) (out []string) {
	now := d.doc.Company()
	for _, p := range now.Persons() {
		at, found := d.place(p)
		if !found {
			continue
		}
		where, is := plaintext.Cell{Index: at.Index, ID: d.short(at.Cell)}, "is"
		if at.Index < 0 {
			is = "was"
		} else {
			t.list(d.doc, at.Index)
		}
		out = append(out, fmt.Sprintf("%s %s in %s%s", now.Called(p), is, where.Name(), Lately(at)))
	}
	return out
}

// besides says which other agents are at cells of the call, or were when it began.
func (d *touchedDoc) besides(a agents) (lines []string) {
	if a.runs == nil {
		return nil
	}
	for _, id := range slices.SortedFunc(maps.Keys(d.cells), func(x, y string) int { return d.index(x) - d.index(y) }) {
		for _, one := range lo.Union(d.at[id], a.at(d.doc, id)) {
			lines = append(lines, one+" "+plaintext.Cell{Index: d.index(id), ID: d.short(id)}.Name())
		}
	}
	if more := len(lines) - maxAccompany; more > 0 {
		lines = append(lines[:maxAccompany], fmt.Sprintf("and other agents are at %d more cells of this call", more))
	}
	return lines
}

// index returns the current index of a cell, -1 if it is deleted.
func (d *touchedDoc) index(id string) int {
	if i, ok := d.doc.Notebook().Index(id); ok {
		return i
	}
	return -1
}

// short returns the id of a cell as the view shortens it, or the whole id if people came during the call, so that it has no
// view.
func (d *touchedDoc) short(id string) string {
	if d.view.doc == nil {
		return id
	}
	return d.view.ShortIDs(id)(id)
}

// place returns where a person is among the cells of the call. A person whose caret has disappeared counts as where they
// were: their cell may have been deleted or moved.
func (d *touchedDoc) place(p people.Person) (people.Place, bool) {
	nowhere := true
	for _, at := range p.Places {
		if d.cells[at.Cell] {
			return at, true
		}
		nowhere = nowhere && at.Cell == ""
	}
	if !nowhere {
		return people.Place{}, false
	}
	for _, was := range d.before.Persons() {
		for _, at := range was.Places {
			if d.cells[at.Cell] && slices.ContainsFunc(p.Places, func(now people.Place) bool { return now.Client == at.Client }) {
				at.Index = d.index(at.Cell)
				return at, true
			}
		}
	}
	return people.Place{}, false
}

// Lately says when a person last typed, or else moved, with a comma before it; "" if that is unknown.
func Lately(at people.Place) string {
	const together = time.Second // typing also moves the caret
	switch {
	case !at.Typed.IsZero() && !at.Moved.After(at.Typed.Add(together)):
		return ", typed " + Ago(at.Typed)
	case !at.Moved.IsZero():
		return ", moved " + Ago(at.Moved)
	}
	return ""
}

// Ago says how long ago a time was.
func Ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h ago", int(d.Hours()))
}
