package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// If the server goes away before the last edits are confirmed in the file when a session ends, the answer says so in time,
// and what to do.
func TestEndOfASessionWhoseServerGoesAway(t *testing.T) {
	unknown := []string{"ended with an error", "not known whether the file has its last edits", "read it again"}
	for name, c := range map[string]struct {
		before, behind func(*jupytertest.Cable) // the edit; neither is a restart in the middle of the last save
		away           bool                     // the restart comes while the room is away, after that save was requested
		says           []string
	}{
		"cut off behind an edit":     {behind: (*jupytertest.Cable).Cut, says: []string{"not known whether the file"}},
		"stopped behind an edit":     {behind: (*jupytertest.Cable).Stall, says: unknown},
		"stopped before an edit":     {before: (*jupytertest.Cable).Stall, says: unknown},
		"restarted in the last save": {says: []string{`"saved":false`, "room has ended", "repeat what is missing"}},
		"restarted while it is away": {away: true, says: []string{`"saved":false`, "room has ended", "repeat what is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			jupytertest.Bubble(t, func(t *testing.T) {
				s := jupytertest.Shared(t)
				cable := jupytertest.NewCable(t, s)
				r := toolstest.NewOn(t, cable.Server)
				path := s.Write(t, s.Name(t, ".md"), "one\n")
				r.Content(path)
				s.Fake.Rooms.SlowSave(3 * time.Second)
				defer s.Fake.Rooms.SlowSave(0)
				if c.before != nil {
					c.before(cable)
				}
				if c.away {
					s.Fake.Rooms.DropAtSave(path, 1)
				}
				edited := r.Call("insert_document_text", toolstest.Dict{"path": path, "position": 0, "text": "edited "})
				if edited.IsError != (c.before != nil) {
					t.Fatalf("the edit: %s", toolstest.MessageOf(edited))
				}
				switch {
				case c.behind != nil:
					c.behind(cable)
				case c.away:
					time.Sleep(5 * time.Millisecond) // the room is away
					time.AfterFunc(5*time.Millisecond, func() { s.Fake.Restart(false) })
				case c.before == nil:
					time.AfterFunc(time.Second, func() { s.Fake.Restart(false) })
				}
				began := time.Now()
				end := toolstest.MessageOf(r.Call("end_document_session", toolstest.Dict{"path": path}))
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("it ends after %s", took)
				}
				for _, want := range c.says {
					if !strings.Contains(end, want) {
						t.Errorf("it does not say %q: %s", want, end)
					}
				}
				cable.Mend()
			})
		})
	}
}
