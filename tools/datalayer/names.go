package datalayer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	namesKept = 100 // notebooks of one client
	// defaultNotebook is the name of the notebook that the program was started for.
	defaultNotebook = "default"
)

// userNotebooks are the named notebooks of one client, and the current one.
type userNotebooks struct {
	all     []usedNotebook
	current string // name of the current notebook, "" for none
}

type usedNotebook struct {
	name string
	path jupyter.Path
}

func (u *userNotebooks) path(name string) (jupyter.Path, bool) {
	n, ok := lo.Find(u.all, func(n usedNotebook) bool { return n.name == name })
	return n.path, ok
}

func (u *userNotebooks) names() []string {
	return lo.Map(u.all, func(n usedNotebook, _ int) string { return n.name })
}

// using calls do with the notebooks that the client of ctx has named. A new client has the notebook that the program was
// started for, if any.
func (d *Toolset) using(ctx context.Context, do func(*userNotebooks)) {
	d.used.With(tool.ClientOf(ctx), func() *userNotebooks {
		if d.Notebook.IsRoot() {
			return &userNotebooks{}
		}
		return &userNotebooks{[]usedNotebook{{defaultNotebook, d.Notebook}}, defaultNotebook}
	}, do)
}

// use gives a notebook a name, and makes it the current one.
func (d *Toolset) use(ctx context.Context, name string, p jupyter.Path) (err error) {
	d.using(ctx, func(u *userNotebooks) {
		if _, known := u.path(name); !known {
			if len(u.all) >= namesKept {
				err = fmt.Errorf("%d notebooks are already in use, and the limit is %d"+textfmt.Hint(": call unuse_notebook for names that are not needed"), len(u.all), namesKept)
				return
			}
			u.all = append(u.all, usedNotebook{name, p})
		}
		u.current = name
	})
	return err
}

// unuse forgets a name. It returns the now current notebook, and whether that has changed.
func (d *Toolset) unuse(ctx context.Context, name string) (current string, switched bool, err error) {
	d.using(ctx, func(u *userNotebooks) {
		at := slices.IndexFunc(u.all, func(n usedNotebook) bool { return n.name == name })
		if at < 0 {
			err = notConnected(name, u.names())
			return
		}
		u.all = slices.Delete(u.all, at, at+1)
		if switched = u.current == name; switched {
			u.current = ""
			if len(u.all) > 0 {
				u.current = u.all[0].name
			}
			if _, ok := u.path(defaultNotebook); ok {
				u.current = defaultNotebook
			}
		}
		current = u.current
	})
	return current, switched, err
}

// errNoCurrent is the error of a call without a notebook when no notebook is current.
var errNoCurrent = errors.New("no notebook is activated" + textfmt.Hint(": call use_notebook first, with a name for it and its path") + textfmt.Hint(", or give notebook_name"))

func notConnected(name string, known []string) error {
	list := "none"
	if len(known) > 0 {
		list = textfmt.QuotedList(known)
	}
	return theirWords("Notebook '%s' is not connected. Connected notebooks: %s"+textfmt.Hint("; use_notebook connects one"), name, list)
}

// usedPath finds the notebook that a call means: by its client's name for it, by its path, or, without either, the current
// notebook.
func (d *Toolset) usedPath(ctx context.Context, name string) (called string, p jupyter.Path, err error) {
	d.using(ctx, func(u *userNotebooks) {
		called = cmp.Or(name, u.current)
		var known bool
		switch p, known = u.path(called); {
		case known:
		case called == "":
			err = errNoCurrent
		case path.Ext(called) == analysis.NotebookExt:
			p, err = target.NotebookArg("notebook_name", called)
		default:
			err = notConnected(called, u.names())
		}
	})
	if name == "" && err == nil {
		target.ActsOn(ctx, p)
	}
	return called, p, err
}

// openUsed opens the notebook that a call means. The caller releases it.
func (d *Toolset) openUsed(ctx context.Context, name string) (*session.Document, string, error) {
	called, p, err := d.usedPath(ctx, name)
	if err != nil {
		return nil, "", err
	}
	doc, err := d.openNamed(ctx, p)
	if errors.Is(err, jupyter.ErrNotFound) {
		err = fmt.Errorf("'%s' not found in jupyter server: it was renamed or deleted since you named it '%s'"+textfmt.Hint("; unuse_notebook forgets it")+": %w", p, called, err)
	}
	return doc, called, err
}

// openNamed opens the notebook at a path.
func (d *Toolset) openNamed(ctx context.Context, p jupyter.Path) (*session.Document, error) {
	doc, err := d.Manager.Open(ctx, p)
	if err == nil {
		d.Opened.Note(ctx, doc, true)
	}
	return doc, err
}

// inNotebook is the argument of a tool that works in one notebook.
type inNotebook struct {
	Notebook string `json:"notebook_name,omitempty" jsonschema:"Notebook to work in, by the name that you gave it or by its path. Left out: the current one." validate:"max=path,null"`
}

// notebook returns the notebook's name as given.
func (n inNotebook) notebook() string { return n.Notebook }

// inCurrent is the argument of a tool that works in the current notebook.
type inCurrent struct{}

func (inCurrent) notebook() string { return "" }

// inUsed is [tool.Typed] for a tool that works in one notebook, which is open while answer runs.
func inUsed[A interface{ notebook() string }](d *Toolset, answer func(context.Context, *session.Document, A) (*tool.Answer, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		doc, _, err := d.openUsed(ctx, args.notebook())
		if err != nil {
			return nil, err
		}
		defer doc.Release()
		return answer(ctx, doc, args)
	})
}

// A foundCell is the cell that a call names, in its open notebook.
type foundCell struct {
	ydoc.Cell
	doc *session.Document
	at  int // its index, as the client knows it
}

// inUsedCell is [tool.Typed] for a tool that works on one cell, and answers with a text.
func inUsedCell[A interface {
	open(context.Context, *Toolset, viewer) (foundCell, error)
}](d *Toolset, answer func(context.Context, foundCell, A) (*textResult, error)) tool.Call {
	return tool.Typed(func(ctx context.Context, args A) (*tool.Answer, error) {
		cell, err := args.open(ctx, d, target.ViewOf)
		if err != nil {
			return nil, err
		}
		defer cell.doc.Release()
		out, err := answer(ctx, cell, args)
		if err != nil {
			return nil, err
		}
		return out.answer(cell.doc), nil
	})
}

// A UsedCell names one cell of a notebook in a call.
type UsedCell struct {
	Index *int `json:"cell_index,omitempty" jsonschema:"Index of the cell, from 0. Needed unless cell_id is given." validate:"max=index,null"`
	inNotebook
	CellID string `json:"cell_id,omitempty" jsonschema:"Id of the cell; it does not change when cells are inserted or moved. Overrides cell_index." validate:"min=1,max=id,null,cellid"`
}

// A viewer makes the view of a notebook in which a call names cells, such as [target.ViewOf].
type viewer = func(context.Context, *session.Document) target.View

// open opens the notebook and finds the named cell. The caller releases the document.
func (c UsedCell) open(ctx context.Context, d *Toolset, view viewer) (foundCell, error) {
	if c.Index == nil && c.CellID == "" {
		return foundCell{}, errors.New("give cell_index or cell_id")
	}
	doc, _, err := d.openUsed(ctx, c.Notebook)
	if err != nil {
		return foundCell{}, err
	}
	cell, err := findUsed(view(ctx, doc), c.Index, c.CellID)
	if err != nil {
		doc.Release()
	}
	cell.doc = doc
	return cell, err
}

// findUsed finds a cell by its id, or else by its index.
func findUsed(v target.View, index *int, id string) (cell foundCell, err error) {
	if id != "" {
		at, err := v.Find(id, "cell_id")
		if _, unknown := errors.AsType[*target.UnknownCellError](err); unknown {
			return cell, theirWords("No cell '%s' in this notebook: it was deleted, or is in another notebook. Read the notebook again", id)
		}
		if err != nil {
			return cell, err
		}
		return foundCell{Cell: v.Now[at], at: v.Known(at)}, nil
	}
	if *index < 0 || *index >= len(v.Listed) {
		return cell, outOfRange(*index, len(v.Listed))
	}
	cell.at = *index
	cell.Cell, err = v.At(*index, "cell_index")
	return cell, err
}
