package pair

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool/plaintext"
)

// first counts the people and agents who are present, or says that their number is not known yet.
func (r *LookResult) first() string {
	where := "is viewing a notebook that is open here"
	if r.Path != "" {
		where = "is in " + r.Path
	}
	when := ""
	switch {
	case r.Lost:
		when = "the connection is lost, and people's activity is unknown until it is back"
	case r.KnownIn != nil:
		when = fmt.Sprintf("people who were there before are known in %d s", *r.KnownIn)
	}
	persons := lo.CountBy(r.People, func(s Seen) bool { return !s.Agent })
	agents := len(r.People) - persons
	switch {
	case r.Path == "" && len(r.rolls) == 0:
		return "no notebook is open here: give a path"
	case len(r.People) == 0 && when != "":
		return "not known yet whether anyone else " + where + ": " + when
	case len(r.People) == 0:
		return "no one else " + where
	}
	var parts []string
	switch persons {
	case 0:
	case 1:
		parts = append(parts, "1 person")
	default:
		parts = append(parts, fmt.Sprintf("%d people", persons))
	}
	if agents > 0 {
		parts = append(parts, textfmt.Plural(agents, "agent"))
	}
	out := strings.Join(parts, " and ")
	if r.Path != "" {
		out += " in " + r.Path
	}
	if when != "" {
		out += "; there may be others: " + when
	}
	return out
}

// words returns the people and agents who are present, each with their selection.
func (r *LookResult) words() plaintext.Text {
	t := plaintext.Text{First: r.first()}
	for _, s := range r.People {
		t.Add(r.block(s))
		s.Status = ""
		for _, at := range s.Tabs {
			t.Add(r.at(s, at, []string{"another tab of " + s.called}))
		}
	}
	t.Note(strings.Join(lo.Map(r.Elsewhere, func(e Elsewhere, _ int) string { return e.called + " has " + front(e.Front) + " in front" }), "; "))
	return t
}

// block says where a person or an agent is.
func (r *LookResult) block(s Seen) plaintext.Block {
	says := []string{s.called}
	if s.Agent {
		says[0] = "agent " + s.called
	}
	if s.Path != "" {
		says = append(says, "in "+s.Path)
	}
	if s.Unclear {
		says = append(says, "last used tab unknown")
	}
	if len(s.Front) > 0 && (len(s.Front) > 1 || s.Front[0] != cmp.Or(s.Path, r.Path)) {
		says = append(says, "has "+front(s.Front)+" in front")
	}
	return r.at(s, s.Spot, says)
}

// at says where a tab is, after the texts in says.
func (r *LookResult) at(s Seen, at Spot, says []string) plaintext.Block {
	switch {
	case at.CellID == "":
		says = append(says, "in no cell")
	case at.From == nil:
		says = append(says, "on the cell, without a caret")
	case at.To != nil:
		says = append(says, fmt.Sprintf("selects %d:%d to %d:%d", at.From.Line, at.From.Column, at.To.Line, at.To.Column))
	default:
		says = append(says, fmt.Sprintf("line %d column %d", at.From.Line, at.From.Column))
	}
	for _, did := range []struct {
		what string
		ago  *float64
	}{{"moved", at.Moved}, {"typed", at.Typed}} {
		if did.ago != nil {
			says = append(says, fmt.Sprintf("%s %.0f s ago", did.what, *did.ago))
		}
	}
	if s.Status != "" {
		says = append(says, s.Status)
	}
	if at.CellID == "" {
		return plaintext.Block{Head: " " + strings.Join(says, ", ")}
	}
	c := plaintext.Cell{Index: *at.Index, ID: at.CellID}
	if roll := r.rolls[cmp.Or(s.Path, r.Path)]; roll != nil {
		c = roll.Cell(at.CellID)
	}
	c.Says = says
	return plaintext.Block{Head: c.Head(), Body: at.Selected}
}

// front names documents.
func front(paths []string) string {
	if len(paths) == 0 {
		return "no document"
	}
	const most = 3
	var names []string
	for _, p := range paths[:min(most, len(paths))] {
		name, _ := textfmt.Cut(p, 200)
		names = append(names, name)
	}
	return strings.Join(names, " and ")
}
