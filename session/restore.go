package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// Before is the revision of [Kept.Restore] from before the notebook became suspect.
const Before = "before"

// Restored is the result of [Kept.Restore].
type Restored struct {
	Snapshot changelog.Snapshot
	Back     []string // the cells that were inserted again
	Changed  []string // the cells that have another source or place
	Removed  int      // how many doubled or empty cells were removed
}

// Restore brings a notebook back to a revision that the journal keeps, as one edit. Cells that exist stay, with their ids and
// outputs; deleted ones return with the outputs that the file still has. Cells that are new since stay, too, except
// empty and doubled ones. With [Before], texts that people have changed since stay as they are. The notebook is then no longer
// suspect.
func (k Kept) Restore(ctx context.Context, revision string) (r Restored, err error) {
	k.examine(ctx, k.current())
	nb := k.Notebook()
	since := revision == Before
	if since {
		if revision = editguard.Suspected(nb).Before; revision == "" {
			return r, errors.New("the notebook has not lost or doubled its cells: give a revision of an earlier answer; nothing was changed")
		}
	}
	ok := k.kept.before.Name == revision
	if r.Snapshot = k.kept.before; !ok && k.kept.snapshots != nil {
		r.Snapshot, ok = k.kept.snapshots.Find(ctx, revision, time.Time{})
	}
	if !ok {
		return r, fmt.Errorf("the notebook at revision %s is not kept: give another revision, or %q if the notebook is suspect; nothing was changed", textfmt.Quoted(revision), Before)
	}
	file := lo.KeyBy(k.file(ctx), func(c ydoc.Cell) string { return c.ID })
	err = k.Edit(editguard.Restoring(ctx), "restore", func(e *ydoc.Editor) error {
		r = Restored{Snapshot: r.Snapshot}
		return restoring{e, &r, file, since}.all()
	})
	if err != nil {
		return r, err
	}
	if err := editguard.Trust(k.Notebook()); err != nil {
		return r, err
	}
	return r, k.Settled(ctx)
}

// restoring stages the edit of [Kept.Restore].
type restoring struct {
	e     *ydoc.Editor
	r     *Restored
	file  map[string]ydoc.Cell
	since bool // later changes stay
}

func (s restoring) all() error {
	had, sources := map[string]bool{}, map[string]bool{}
	at := 0 // of the next cell
	for _, c := range s.r.Snapshot.Cells {
		had[c.ID], sources[c.Source] = true, true
		next, err := s.cell(c, at)
		if err != nil {
			return err
		}
		at = next + 1
	}
	for i := s.e.Len() - 1; i >= 0; i-- {
		c, _ := s.e.CellAt(i)
		double := sources[c.Source] && (s.since || c.NBID != c.ID)
		if had[c.ID] || ydoc.Locks(c.Metadata[ydoc.KeyDeletable]) || !double && (c.Source != "" || len(c.Outputs) > 0) {
			continue
		}
		if err := s.e.Delete(c.ID); err != nil {
			return err
		}
		s.r.Removed++
	}
	return nil
}

// cell brings back one cell, which belongs at an index or after it, and returns its index.
func (s restoring) cell(c changelog.SnapshotCell, at int) (int, error) {
	now, there := s.e.Cell(c.ID)
	if !there {
		f := s.file[c.ID]
		if _, err := s.e.Insert(at, ydoc.NewCell{ID: c.ID, Type: c.Type, Source: c.Source, Metadata: f.Metadata, Attachments: f.Attachments}); err != nil {
			return at, err
		}
		s.r.Back = append(s.r.Back, c.ID)
		if c.Type == ydoc.Code && len(f.Outputs) > 0 {
			return at, s.e.SetOutputs(c.ID, f.Outputs)
		}
		return at, nil
	}
	is, _ := s.e.Index(c.ID)
	changes := !s.since && (now.Source != c.Source || now.Type != c.Type) && !ydoc.Locks(now.Metadata[ydoc.KeyEditable])
	if is < at || changes {
		s.r.Changed = append(s.r.Changed, c.ID)
	}
	if changes {
		if err := errors.Join(s.e.SetType(c.ID, c.Type), s.e.SetSource(c.ID, c.Source)); err != nil {
			return is, err
		}
	}
	if is < at {
		return at - 1, s.e.Move(c.ID, at-1)
	}
	return is, nil
}
