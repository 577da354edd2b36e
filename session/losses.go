package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/session/collab/people"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// justNow is how long ago a notebook was seen that a room should still have.
	justNow = 10 * time.Second
	// handsOn is how long before deleting all cells a person has moved their caret.
	handsOn = time.Minute
	// compareWithin bounds the requests and reads for a loss.
	compareWithin = 5 * time.Second
)

// examine makes the notebook suspect if its room has lost or doubled its cells without a person's doing. It returns the time
// until that can be judged, because the people are not known yet; 0 if it can be.
func (k Kept) examine(ctx context.Context, lv *live) (unsure time.Duration) {
	if lv.nb == nil || lv.gap != nil {
		return 0
	}
	k.kept.examining.Lock()
	defer k.kept.examining.Unlock()
	ctx, stop := context.WithTimeout(ctx, compareWithin)
	defer stop()
	if !k.kept.compared && k.kept.snapshots != nil {
		if last, ok := k.kept.snapshots.Find(ctx, "", k.opened.Add(-time.Millisecond)); ok {
			lv.losses.Since(last)
		}
	}
	k.kept.compared = true
	loss, ok := lv.losses.Take()
	if !ok || k.explained(ctx, lv, loss) {
		return 0
	}
	if known := people.KnownSince(lv.room.Since()); !loss.Joined && !loss.Twins && !known.All() {
		lv.losses.Again(loss)
		return max(known.In, time.Second)
	}
	says := fmt.Sprintf("the notebook lost %d of its %d cells", loss.Lost, len(loss.Before.Cells))
	if loss.Lost == 0 {
		says = fmt.Sprintf("the notebook has %d of its %d cells twice", loss.Doubled, len(loss.Before.Cells))
		if len(loss.Clients) > 0 { // of deletions, the client is not known
			says += fmt.Sprintf(" (client %d)", loss.Clients[0])
		}
	}
	k.kept.before = loss.Before
	if k.kept.snapshots != nil {
		k.kept.snapshots.Keep(loss.Before)
	}
	first, err := editguard.Suspect(lv.nb, says, loss.Before.Name)
	k.m.log.Warn("a notebook is suspect, and is not edited: "+says, "path", k.Path(), "error", err)
	if first {
		k.m.tell(Event{Kind: Suspected, Document: k.Document, Says: says})
	}
	return 0
}

// explained reports whether a person, another agent, or a program that wrote the file may have made a loss.
func (k Kept) explained(ctx context.Context, lv *live, loss changelog.Loss) bool {
	named := func(client uint64) bool {
		_, _, ok := lv.room.Named(client)
		return ok
	}
	switch {
	case loss.Joined && (loss.Empty || loss.Lost == 0) && time.Since(loss.Before.At) <= justNow:
		return false
	case loss.Joined:
		return !k.inFile(ctx, lv, loss)
	case loss.Twins:
		return false
	case loss.Loaded:
		return true
	case loss.Lost == 0:
		return len(loss.Clients) > 0 && lo.EveryBy(loss.Clients, named)
	case !loss.Empty:
		return slices.ContainsFunc(loss.Clients, named) || len(lv.room.Peers()) > 0
	}
	// A tab adds a cell to each empty notebook. Its person has deleted the others if they did something before.
	return slices.ContainsFunc(lv.room.Peers(), func(p rtc.Peer) bool {
		idle := loss.Fell.Sub(p.Moved)
		return idle >= 0 && idle <= handsOn || p.Agent && slices.Contains(loss.Clients, p.Replica)
	})
}

// inFile reports whether the file still has the cells of a loss, once.
func (k Kept) inFile(ctx context.Context, lv *live, loss changelog.Loss) bool {
	file := k.file(ctx)
	if loss.Lost == 0 {
		return len(file) > 0 && len(file) < lv.nb.Len()
	}
	lost := lo.CountBy(loss.Before.Cells, func(c changelog.SnapshotCell) bool {
		_, there := lv.nb.Index(c.ID)
		return !there && strings.TrimSpace(c.Source) != "" && slices.ContainsFunc(file, func(f ydoc.Cell) bool { return f.Source == c.Source })
	})
	return 2*lost >= loss.Lost
}

// file returns the cells of the notebook's file, none if it cannot be read.
func (k Kept) file(ctx context.Context) []ydoc.Cell {
	c, _ := k.m.cfg.Server.Contents.Get(ctx, k.Path(), jupyter.ContentsOptions{Content: true, Type: "notebook"}) // without a file, it has no content
	nb, err := nbformat.Replica(c.Content)
	if err != nil {
		return nil
	}
	return nb.Cells()
}
