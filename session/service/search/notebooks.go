package search

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/ydoc"
)

// The bounds of an answer.
const (
	maxMatches = 100
	maxBytes   = 20_000 // of the lines
)

const (
	readers = 8  // files read at once
	batch   = 64 // files read before their matches are counted
	// longest is how long a search takes at most, but for one batch: some hosts give up on a call after a minute.
	longest = 20 * time.Second
)

// Notebooks searches the notebooks of a server.
type Notebooks struct {
	m *session.Manager
	// Walk lists the notebooks below a folder, sorted by path.
	walk func(context.Context, files.Search) ([]jupyter.Content, files.WalkNote, error)
}

// New returns the search of a manager's document server.
func New(m *session.Manager, walk func(context.Context, files.Search) ([]jupyter.Content, files.WalkNote, error)) *Notebooks {
	return &Notebooks{m, walk}
}

// Found is the result of a search.
type Found struct {
	Notebooks []Notebook
	// Broken are the notebooks that could not be read, with the reason.
	Broken map[jupyter.Path]error
	// Searched is the number of notebooks that this call searched.
	Searched int
	// Next is the place at which to continue; nil if everything was searched.
	Next *Cursor
	// Note says which folders were not searched.
	Note files.WalkNote
}

// A Notebook is a notebook with hits.
type Notebook struct {
	Path jupyter.Path
	// Open is the open document, or nil if the hits are from disk.
	Open *session.Document
	// Cells are its cells at the time of the search, and Revision is the revision after which changes are not in them.
	Cells    []ydoc.Cell
	Revision ydoc.Revision
	Hits     []Hit
}

// A Cursor is the place at which a search continues.
type Cursor struct {
	Path string
	Place
}

// Folder searches the notebooks below a folder, in the order of their paths, from a cursor on. tell is called with the
// progress.
func (n *Notebooks) Folder(ctx context.Context, root jupyter.Path, q Query, from *Cursor, tell func(done, total int)) (Found, error) {
	list, note, err := n.walk(ctx, files.Search{
		Root: root, What: "notebook", Depth: files.MaxDepth, Wants: func(c jupyter.Content) bool { return c.Type == "notebook" },
	})
	if err != nil {
		return Found{}, err
	}
	found := Found{Broken: map[jupyter.Path]error{}, Note: note}
	total := len(list)
	if from != nil {
		list = lo.DropWhile(list, func(c jupyter.Content) bool { return strings.Compare(c.Path.String(), from.Path) < 0 })
	}
	skipped := total - len(list)
	open := map[jupyter.Path]*session.Document{}
	for _, d := range n.m.Notebooks() {
		open[d.Path()] = d
	}
	room, began := room{maxMatches, maxBytes}, time.Now()
	for _, some := range lo.Chunk(list, batch) {
		tell(skipped+found.Searched, total)
		if time.Since(began) > longest {
			found.Next = &Cursor{some[0].Path.String(), Start}
			return found, nil
		}
		for _, one := range n.readAll(ctx, some, open, q) {
			if one.err != nil {
				found.Broken[one.Path] = one.err
				continue
			}
			start := Start
			if from != nil && from.Path == one.Path.String() {
				start = from.Place
			}
			hits, next := room.take(q, one.Cells, start)
			if len(hits) > 0 {
				one.Hits = hits
				found.Notebooks = append(found.Notebooks, one.Notebook)
			}
			if next != nil {
				found.Next = &Cursor{one.Path.String(), *next}
				return found, nil
			}
			found.Searched++
		}
		if err := ctx.Err(); err != nil {
			return Found{}, err
		}
	}
	return found, nil
}

// Room is the space left in an answer.
type room struct{ matches, bytes int }

// take returns the hits that fit, and the place at which to continue; nil if all fit.
func (r *room) take(q Query, cells []ydoc.Cell, from Place) ([]Hit, *Place) {
	hits, next := q.Cells(cells, from, r.matches)
	for i, h := range hits {
		size := len(strings.Join(h.Lines, "\n")) + 40 // with its head line
		if r.bytes < size && r.bytes < maxBytes {
			return hits[:i], &Place{h.Index, h.Output, h.First - 1 + h.Matches[0]}
		}
		r.bytes -= size
		r.matches -= len(h.Matches)
	}
	return hits, next
}

// One searches an open notebook.
func One(doc *session.Document, q Query, from Place) (n Notebook, next *Place) {
	n = current(doc)
	n.Hits, next = (&room{maxMatches, maxBytes}).take(q, n.Cells, from)
	return n, next
}

// current returns an open notebook as it is now.
func current(doc *session.Document) Notebook {
	rev := doc.History().Seal() // before the cells are read: an older revision is harmless
	return Notebook{Path: doc.Path(), Open: doc, Revision: rev, Cells: doc.Notebook().Cells()}
}

// A reading is a notebook that was read, or the reason why it was not.
type reading struct {
	Notebook
	err error
}

// readAll returns the current cells of notebooks, in their order; none of a notebook without a hit.
func (n *Notebooks) readAll(ctx context.Context, list []jupyter.Content, open map[jupyter.Path]*session.Document, q Query) []reading {
	out := make([]reading, len(list))
	slots := make(chan struct{}, readers)
	var wg sync.WaitGroup
	for i, c := range list {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			one := &out[i]
			if doc := open[c.Path]; doc != nil {
				one.Notebook = current(doc)
			} else {
				one.Path = c.Path
				one.Cells, one.err = read(ctx, n.m.Servers().Documents.Contents, c.Path)
			}
			if hits, _ := q.Cells(one.Cells, Start, 1); len(hits) == 0 { // here, because it takes most of the time
				one.Cells = nil
			}
		})
	}
	wg.Wait()
	return out
}
