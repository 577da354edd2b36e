package filesync

import "github.com/nbduet/nbduet/rtc/jupyter"

// Saw records the file, and the hash in the document, when the document is opened.
func (s *Saver) Saw(c jupyter.Content, j Joined) {
	s.file.saw(c, j.replica().State().Hash, j.replica().Revision())
}

// Watch follows the replica of a newly joined room: the reloads of the earlier one no longer count.
func (s *Saver) Watch(j Joined) { s.file.follow(j.replica().Reloads()) }

// Afresh checks whether a newly joined room has the content of the lost one. If not, it notes that edits of this program may
// be missing that were confirmed but not yet written: the server saves a second after an edit at the earliest, and unsaved
// edits are lost when it ends.
func (s *Saver) Afresh(lost, fresh Joined) {
	seen, note := s.file.seen(), noteForgotten
	if lost.Documents {
		note = noteJoinedAfresh
	}
	if Same(lost, fresh) || !s.file.forget(note) {
		return
	}
	s.file.isNowhere(missing(lost.Notebook, fresh.Notebook, seen))
	s.log.Warn("the server lost edits that it had confirmed", "path", s.doc.Path())
}

// Gone reports whether the file did not exist when it was last read.
func (s *Saver) Gone() bool { return s.file.lost() }

// Lost returns the last note on confirmed edits that are lost, "" for none.
func (s *Saver) Lost() string { return s.file.lostEdits() }
