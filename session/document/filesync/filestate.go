package filesync

import (
	"maps"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// fileState is the state of a document's file. The server's report of a save proves nothing: it comes even if the file
// cannot be written, has moved or was changed by another program, and for a notebook that cannot be written because of a
// malformed cell. After each real save the server puts the hash of the file into the document; so the proof is a file that
// has that hash and has changed.
type fileState struct {
	mu          sync.Mutex
	modified    time.Time     // of the file, when last read
	hash        string        // in the document at that time; "" if it had none
	revision    ydoc.Revision // of the document, when last seen on disk
	reloads     uint64        // the number of the replica's reloads that were processed
	edits       uint64        // number of our edits
	wrote       wrote         // by edits that were not seen on disk
	saving      uint64        // how many of them are in the current save
	proven      uint64        // how many of them were seen on disk
	problem     string        // why the file does not follow; "" while it does
	overwritten string        // note on confirmed edits of this program that may be lost; "" once reported
	gone        bool          // the file did not exist when last read
	nowhere     string        // the last such note, for the end of the session
	written     time.Time     // when the file was last written, as seen after a save that edits interrupted
	unwritten   bool          // the last interrupted save has written nothing
}

// Reasons why a file does not follow, and notes on lost edits.
const (
	problemReadOnly    = "the file is read-only: everyone who has it open sees the edits, but they are not written"
	problemGone        = "the file is no longer at this path: it was moved or deleted, and edits are not written anywhere"
	problemUnproven    = "the server reported a save, but the file was not written: the Jupyter server's disk may be full, or a malformed cell from another program may prevent it; see the Jupyter server's log"
	problemForeign     = "the file was changed by another program at the same time, and not written"
	problemAutosaveOff = "everyone who has it open has turned autosave off: the edits are in their tabs, and in the file when one of them saves"
	noteForgotten      = "the Jupyter server was restarted, or closed the document, before it had saved all of it: edits of the preceding seconds may be missing; read it again"
	noteOverwritten    = "another program changed the file, and the server loaded it in place of the open content: edits of the preceding seconds may be undone; read it again"
)

func (f *fileState) lose() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
}

func (f *fileState) lost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

// sources returns the current source of a cell, or for "" the whole text of a text document.
type sources func(cell string) string

// wrote is the result of edits that were not yet seen on disk.
type wrote struct {
	sources map[string]string // by cell, after its last edit
	other   bool              // an edit changed something other than a source
}

// stands reports whether the document still has everything that the edits wrote.
func (w wrote) stands(now sources) bool {
	for cell, text := range w.sources {
		if now(cell) != text {
			return false
		}
	}
	return !w.other
}

// edited counts one of our edits, as soon as the room may have it, with the sources that it wrote.
func (f *fileState) edited(sources map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.edits++
	if f.wrote.other = f.wrote.other || len(sources) == 0; f.wrote.sources == nil {
		f.wrote.sources = map[string]string{}
	}
	maps.Copy(f.wrote.sources, sources)
}

// proves records how many of our edits were seen on disk or given up. The caller holds mu.
func (f *fileState) proves(edits uint64) {
	if f.proven = edits; f.proven == f.edits {
		f.wrote = wrote{}
	}
}

// begin is called before a save is requested: a check afterwards proves all edits until now.
func (f *fileState) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saving, f.unwritten = f.edits, false
}

// brokenOff reports whether the last save wrote nothing because an edit interrupted it.
func (f *fileState) brokenOff() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unwritten
}

// unproven returns the problem of a file that exists and is writable, after a save that gives no proof because of a
// concurrent edit. The save may have been interrupted or completed: if it completed, the file differs from the one after the
// last save.
func (f *fileState) unproven(modified time.Time) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	f.unwritten = modified.Equal(f.modified) || modified.Equal(f.written)
	f.written = modified
	if f.problem == problemGone || f.problem == problemReadOnly {
		return ""
	}
	return f.problem
}

// compare finds the problem from the file and the hash in the document. now returns the document's sources.
func (f *fileState) compare(c jupyter.Content, named string, revision ydoc.Revision, now sources) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	moved := !c.LastModified.Equal(f.modified)
	fresh := moved || named != f.hash
	f.modified, f.hash = c.LastModified, named
	switch {
	case f.revision == revision && (named == "" || named == c.Hash):
		return "" // nothing new to write
	case !fresh:
		return problemUnproven
	case c.Hash != "" && named != c.Hash:
		// Another program wrote the file. The server has either loaded its content, which clears the hash, or kept its
		// own.
		if named == "" {
			f.overwrite(now)
		}
		return problemForeign
	}
	f.revision = revision
	f.proves(f.saving)
	return ""
}

// overwrite records that reloading the file undid our edits, if some were not seen on disk and are not in the document.
// The caller holds mu.
func (f *fileState) overwrite(now sources) (lost bool) {
	return !f.wrote.stands(now) && f.giveUp(noteOverwritten)
}

// giveUp notes that the edits that were not seen on disk are lost, if there are any. The caller holds mu.
func (f *fileState) giveUp(note string) (lost bool) {
	if f.proven == f.edits {
		return false
	}
	f.overwritten, f.nowhere, f.saving = note, note, f.edits
	f.proves(f.edits)
	return true
}

// isNowhere adds the missing content to the note on lost edits.
func (f *fileState) isNowhere(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.nowhere != "" && what != "" {
		f.nowhere += ": " + what
	}
}

// lostEdits returns the last note on lost edits, "" for none.
func (f *fileState) lostEdits() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nowhere
}

// seen returns the revision that was last seen on disk.
func (f *fileState) seen() ydoc.Revision {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision
}

// takeBack removes a note that proved wrong.
func (f *fileState) takeBack(note string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.overwritten == note {
		f.overwritten = ""
	}
	if f.nowhere == note {
		f.nowhere = ""
	}
}

// has reports whether the file is known to have all of a revision of the document, including all our edits.
func (f *fileState) has(revision ydoc.Revision) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision == revision && f.proven == f.edits && f.problem == "" && !f.gone
}

// pending reports whether some of our edits were not seen on disk.
func (f *fileState) pending() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.proven != f.edits
}

// forget notes that the server lost confirmed edits of this program, if some were not written.
func (f *fileState) forget(note string) (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.giveUp(note)
}

// reloaded notes how often the server has loaded the file's content into the document, and reports whether the last reload
// undid edits of this program that were not in the file.
func (f *fileState) reloaded(times uint64, now sources) (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if times <= f.reloads {
		return false
	}
	f.reloads, f.hash = times, ""
	return f.overwrite(now)
}

// follow sets the reload count of a new replica.
func (f *fileState) follow(reloads uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reloads = reloads
}

// saw records the file at the opening of the document.
func (f *fileState) saw(c jupyter.Content, hash string, revision ydoc.Revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.modified, f.hash, f.revision = c.LastModified, hash, revision
	if !c.Writable {
		f.problem = problemReadOnly
	}
}
