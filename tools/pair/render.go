package pair

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

const (
	// aroundBytes is the size of an answer without its changes, and headBytes that of a change without its diff.
	aroundBytes = 400
	headBytes   = 120
	// shownAtOnce is the maximum number of simultaneous changes that are shown, as when a person pastes many cells.
	shownAtOnce = 100
)

// render writes changes.
type render struct {
	doc      *session.Document
	roll     *target.Roll
	client   string
	told     *changelog.Delta
	leaveOut func(changelog.Who) bool
	fits     func(changelog.Change) bool
}

// result returns as many changes as fit in an answer.
func (r render) result() *ChangesResult {
	cuts := r.told.Cuts()
	size := func(i int) (sum int) {
		for _, v := range r.views(cuts[i].Entries, 0) {
			sum += headBytes + len(v.Diff)
		}
		return sum
	}
	last := len(cuts) - 1
	if size(last) > answerBytes-aroundBytes {
		last = max(0, sort.Search(last, func(i int) bool { return size(i) > answerBytes-aroundBytes })-1)
	}
	out := &ChangesResult{Path: r.doc.Path().String(), Revision: target.Revision(cuts[last].Revision), More: last < len(cuts)-1}
	out.Changes = r.views(cuts[last].Entries, 0)
	if size(last) > answerBytes-aroundBytes {
		if n := len(out.Changes) - shownAtOnce; n > 0 {
			out.Message = fmt.Sprintf("%s more, made at the same time, not shown: read the notebook", textfmt.Plural(n, "change"))
		}
		out.Changes = r.views(cuts[last].Entries, min(len(out.Changes), shownAtOnce))
	}
	return out
}

// views returns the changes that the first entries made. If few is not 0, it returns only the first few changes, with their
// diffs cut to fit.
func (r render) views(entries, few int) []ChangeView {
	out := []ChangeView{}
	for _, c := range r.told.Changes(entries, r.leaveOut) {
		if r.fits == nil || r.fits(c) {
			out = append(out, r.view(c))
		}
	}
	if few == 0 {
		return out
	}
	out = out[:few]
	each := (answerBytes-aroundBytes)/few - headBytes
	for i := range out {
		if diff, cut := textfmt.Cut(out[i].Diff, max(textfmt.ShortestMarked, each/2)); cut { // characters may have several bytes
			out[i].Diff, out[i].Note = diff, "cut: read the cell"
		}
	}
	return out
}

// view returns a change for an answer.
func (r render) view(c changelog.Change) ChangeView {
	v := ChangeView{CellID: c.Cell, What: c.Kinds.String(), By: r.by(c.Who), Ago: int(time.Since(c.Last).Seconds()), Type: c.Type, Diff: plaintext.Changed(c.Diff)}
	if at := r.roll.Cell(c.Cell).Index; at >= 0 {
		v.Index = &at
	}
	if c.Kinds&(changelog.Added|changelog.Moved) != 0 {
		v.After = &c.After
	}
	if c.Gone {
		v.Note = fmt.Sprintf("%s removed, %s added, too many to store: read the cell", textfmt.Plural(c.Left, "character"), textfmt.Thousands(c.Size))
	}
	return v
}

// by names the authors of a change.
func (r render) by(w changelog.Who) string {
	var names []string
	switch {
	case w.Ours && w.Client == r.client:
		names = append(names, "you")
	case w.Ours && w.Client != "":
		names = append(names, "another client of nbduet")
	case w.Ours:
		names = append(names, "nbduet")
	}
	for _, client := range w.Clients {
		if name := nameOf(r.doc, client); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if w.Unknown && !slices.Contains(names, unknownName) {
		names = append(names, unknownName)
	}
	return strings.Join(names, " and ")
}

const unknownName = "unknown"

// nameOf returns the name of a client of the room.
func nameOf(doc *session.Document, client uint64) string {
	name, agent, ok := doc.History().Named(client)
	switch {
	case !ok || name == "":
		return unknownName
	case agent:
		return "the agent " + plaintext.Line(name)
	}
	return plaintext.Line(name)
}

// words returns the changes under head lines.
func (r render) words(out *ChangesResult) func() plaintext.Text {
	return func() plaintext.Text {
		t := plaintext.Text{First: out.first()}
		for _, v := range out.Changes {
			c := r.roll.Cell(v.CellID)
			c.Type = v.Type
			c.Says = []string{r.says(v), v.Note}
			t.Add(plaintext.Block{Head: c.Head(), Body: v.Diff})
		}
		t.Note(out.Message)
		if out.More {
			t.Note("there is more: continue from revision " + out.Revision)
		}
		return t
	}
}

// says describes a change: its kind, place, author and time.
func (r render) says(v ChangeView) string {
	s := v.What
	if v.After != nil {
		if s += " at the top"; *v.After != "" {
			s = v.What + " after " + r.roll.Cell(*v.After).Name()
		}
	}
	return fmt.Sprintf("%s by %s %s", s, v.By, secondsAgo(v.Ago))
}

// first says how many changes there are, and by whom.
func (out *ChangesResult) first() string {
	now := ", revision " + out.Revision
	switch {
	case out.waited > 0:
		return fmt.Sprintf("no matching change in %d s%s", int(out.waited), now)
	case len(out.Changes) == 0 && out.More:
		return "nothing to show yet" + now
	case len(out.Changes) == 0:
		return "nothing changed" + now
	}
	names := lo.Uniq(lo.Map(out.Changes, func(v ChangeView, _ int) string { return v.By }))
	return fmt.Sprintf("%s by %s%s", textfmt.Plural(len(out.Changes), "change"), strings.Join(names, ", "), now)
}
