package filesync

import (
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// The result of a look at the file after the server's "success", by the changes since the look before.
func TestFileStateCompare(t *testing.T) {
	was := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		modified    time.Time
		hash, named string // of the file, and the one in the document
		same        bool   // no edits
		want        string
		overwritten bool
	}{
		"written":                         {was.Add(time.Second), "b", "b", false, "", false},
		"written, the clock went back":    {was.Add(-time.Hour), "b", "b", false, "", false},
		"written within the time's grain": {was, "b", "b", false, "", false},
		"nothing to write":                {was, "a", "a", true, "", false},
		"not written":                     {was, "a", "a", false, problemUnproven, false},
		"foreign write, ours stands":      {was.Add(time.Second), "c", "a", false, problemForeign, false},
		"foreign write, taken over":       {was.Add(time.Second), "c", "", false, problemForeign, true},
		"a server without hashes":         {was.Add(time.Second), "", "", false, "", false},
		"one without hashes, not written": {was, "", "", false, problemUnproven, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fileState{modified: was, hash: "a", revision: 1, edits: 2, saving: 2, proven: 1, wrote: wrote{other: true}}
			if c.hash == "" {
				f.hash = ""
			}
			now := f.revision
			if !c.same {
				now++
			}
			got := f.compare(jupyter.Content{LastModified: c.modified, Hash: c.hash, Writable: true}, c.named, now, nil)
			if got != c.want {
				t.Errorf("says %q, want %q", got, c.want)
			}
			d := &Saver{}
			d.file.overwritten = f.overwritten
			if said := d.Overwritten() != ""; said != c.overwritten {
				t.Errorf("edits said to be undone: %v, want %v", said, c.overwritten)
			}
			if d.Overwritten() != "" {
				t.Error("said twice")
			}
			if got == "" && !c.same && (f.proven != 2 || f.revision != now) {
				t.Errorf("a written edit still counts as pending: %+v", f)
			}
		})
	}
}

// The server reloads the file: our edits that were in it, or that the document still has, are safe; the others are reported
// as undone.
func TestFileStateReloaded(t *testing.T) {
	now := map[string]string{"a": "a = 1", "b": "b = 1"}
	source := func(cell string) string { return now[cell] }
	var f fileState
	test.False(t, f.reloaded(1, source), test.Sprint("nothing was pending"))
	f.edited(map[string]string{"a": "a = 1"})
	f.begin()
	f.edited(map[string]string{"b": "b = 1"}) // during the save: the look after it does not prove this one
	f.compare(jupyter.Content{LastModified: time.Unix(1, 0), Hash: "b"}, "b", 2, source)
	test.False(t, f.reloaded(2, source), test.Sprint("the document has the edits"))
	now["b"] = "b = 0"
	test.True(t, f.reloaded(3, source), test.Sprint("it does not have one"))
	test.NotEq(t, "", f.overwritten)
	test.False(t, f.reloaded(4, source), test.Sprint("that was said"))
	f.edited(nil)
	test.True(t, f.reloaded(5, source), test.Sprint("an edit of something else was pending"))
}
