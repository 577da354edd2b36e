package filesync

import "github.com/nbduet/nbduet/rtc/jupyter"

// Saw records the file, and the hash that the document names, at the opening of the document.
func (s *Saver) Saw(c jupyter.Content, j Joined) {
	s.file.saw(c, j.replica().State().Hash, j.replica().Revision())
}

// Watch begins to watch the replica of a room that was just joined: reloads of another one do not count any more.
func (s *Saver) Watch(j Joined) { s.file.follow(j.replica().Reloads()) }

// Afresh checks whether a newly joined room has the content of the lost one. If not, it notes that edits of ours may be
// missing that were confirmed but not yet written: the server saves a second after an edit at the earliest, and unsaved
// edits end with it.
func (s *Saver) Afresh(lost, fresh Joined) {
	seen, note := s.file.seen(), noteForgotten
	if lost.Documents {
		note = noteJoinedAfresh
	}
	if Same(lost, fresh) || !s.file.forget(note) {
		return
	}
	s.file.isNowhere(missing(lost.Notebook, fresh.Notebook, seen))
	s.log.Warn("the server has lost edits that it had confirmed", "path", s.doc.Path())
}

// Gone reports whether there was no file when it was last read.
func (s *Saver) Gone() bool { return s.file.lost() }

// Lost is the last note on confirmed edits that are lost, "" for none.
func (s *Saver) Lost() string { return s.file.lostEdits() }
