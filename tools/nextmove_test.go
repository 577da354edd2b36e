package tools_test

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A move with a revision from before a person typed is refused until it names the revision of the refusal, or uses force,
// and the typed text always stays.
func TestNextMoveAfterARefusal(t *testing.T) {
	for name, tool := range revised {
		if tool.does != moves {
			continue
		}
		t.Run(name, func(t *testing.T) {
			jupytertest.Beside(t, func(t *testing.T) {
				r := toolstest.New(t)
				for _, next := range []string{"with the revision", "with force"} {
					p := newRevised(r, name)
					old := p.Read(p.path).Revision
					p.typesLine("b = typed")
					text, failed := p.call(name, tool.args(old))
					for again := range 3 {
						_, cells := p.Room(p.path)
						test.True(t, failed, test.Sprint(text))
						test.Eq(t, "c1", cells[1].ID, test.Sprint(text))
						p.refusesWell(name, text, again > 0)
						text, failed = p.call(name, tool.args(old))
					}
					args := toolstest.With(tool.args(old), "force", true)
					if next == "with the revision" {
						said := saidRevision.FindAllStringSubmatch(text, -1)
						args = tool.args(said[len(said)-1][1])
					}
					text, failed = p.call(name, args)
					_, cells := p.Room(p.path)
					test.False(t, failed, test.Sprint(next, text))
					test.Eq(t, "c1", cells[0].ID, test.Sprint(next, text))
					test.StrContains(t, cells[0].Source, "typed", test.Sprint(next, text))
				}
			})
		})
	}
}
