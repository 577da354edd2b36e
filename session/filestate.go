package session

import (
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
)

// fileState is what is known of the file behind a document. The server's word that it has saved is no proof: it is also
// given for a file that cannot be written, has moved or was changed by another program, and for a notebook that cannot
// be written because of somebody's malformed cell. After each save that it really made, the server puts the hash of the
// file into the document; so the proof is a file that has that hash, and is another than before.
type fileState struct {
	mu          sync.Mutex
	modified    time.Time     // of the file, when last looked at
	hash        string        // that the document named then; "" where it named none
	revision    ydoc.Revision // of the document, when last seen on disk
	edits       uint64        // of ours, counted
	saving      uint64        // how many of them the save that goes on has
	proven      uint64        // how many of them were seen on disk
	problem     string        // why the file does not follow; "" while it does
	overwritten string        // what became of confirmed edits of ours; "" when told
	gone        bool          // there was no file when last looked
}

// What is said of a file that does not follow.
const (
	problemReadOnly = "the file is read-only: edits are seen by everybody who has it open, but not written"
	problemGone     = "the file is no longer at this path: it was moved or deleted, and edits are not written anywhere"
	problemUnproven = "the server says that it saved, but the file was not written: a malformed cell, made by another program, may keep it from being written; see the Jupyter server's log"
	problemForeign  = "the file was changed by another program at the same time, and not written"
	noteForgotten   = "the Jupyter server was restarted, or had let go of the document, before it had saved all of it: edits of the last seconds before may be missing; read it again"
	noteOverwritten = "another program has changed the file, and the server has put the file's content in place of what was open: edits of the last seconds before may be undone; read it again"
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

// edited counts an edit of ours, as soon as the room can have it.
func (f *fileState) edited() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.edits++
}

// begin is called before a save is asked for: a look afterwards proves the edits until here.
func (f *fileState) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saving = f.edits
}

// unproven is what there is to say of a file that is there, and that can be written, but of which nothing else is known
// than before.
func (f *fileState) unproven() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	if f.problem == problemGone || f.problem == problemReadOnly {
		return ""
	}
	return f.problem
}

// compare is what look makes of the file and of the hash that the document names.
func (f *fileState) compare(c jupyter.Content, named string, revision ydoc.Revision) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = false
	moved := !c.LastModified.Equal(f.modified)
	fresh := moved || named != f.hash
	f.modified, f.hash = c.LastModified, named
	switch {
	case f.revision == revision && (named == "" || named == c.Hash):
		return "" // there was nothing new to write
	case !fresh:
		return problemUnproven
	case c.Hash != "" && named != c.Hash:
		// The time has moved and it was not the server: it has either taken the file's content over, which takes the
		// hash away, or kept its own.
		if named == "" {
			f.overwrite()
		}
		return problemForeign
	}
	f.revision, f.proven = revision, f.saving
	return ""
}

// overwrite notes what the file's content in place of the document's does to our edits, if there are any that are not
// in the file. The caller holds mu.
func (f *fileState) overwrite() (lost bool) {
	if f.proven == f.edits {
		return false
	}
	f.overwritten, f.proven, f.saving = noteOverwritten, f.edits, f.edits
	return true
}

// has says whether the file is known to have all of a revision of the document, every edit of ours included.
func (f *fileState) has(revision ydoc.Revision) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision == revision && f.proven == f.edits && f.problem == "" && !f.gone
}

// forget notes that the server no longer has edits of ours which it had confirmed, if there are any that it had not
// written.
func (f *fileState) forget(note string) (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.proven == f.edits {
		return false
	}
	f.overwritten, f.proven, f.saving = note, f.edits, f.edits
	return true
}

// reloaded notes that the server has put the file's content in place of the document's, while there were edits of ours
// that were not in the file.
func (f *fileState) reloaded() (lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hash = ""
	return f.overwrite()
}

// saw records the file as it was found when the document was opened.
func (f *fileState) saw(c jupyter.Content, hash string, revision ydoc.Revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.modified, f.hash, f.revision = c.LastModified, hash, revision
	if !c.Writable {
		f.problem = problemReadOnly
	}
}
