package readset

import (
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A showing is a client's knowledge of a text: the text that it was first shown since its last write, and the text that it
// was last shown or has sent. Either may be the base of a new text, see [Reader.base]: several agents may share one client,
// and a client may continue from the text that it sent, although it was shown the merged text since.
type showing struct {
	first, last textID
	rev         ydoc.Revision // at which last was shown; 0 if it was sent and not shown
	// sent is the text that the client has sent, if it was merged and only the answer has shown the cell since. The same text
	// again is the same call, also with force: the answer may have been lost.
	sent textID
	// refused is the change that was last refused, 0 for none since the client's last write.
	refused textID
	// on is the text at the time of that refusal, shown or not: force right after a refusal replaces this text, but not later
	// typing.
	on textID
	// pending is set if a change was refused and only the refusal has shown the text since. That text is the base of other
	// content, but does not make the same change acceptable.
	pending bool
}

// deletion represents a deletion as refused content.
const deletion textID = 1

// showing returns the showing of a cell, or of the document's text.
func (r Reader) showing(cell string) (showing, bool) { return r.memory.showings.Get(r.key(cell)) }

// update changes the showing of a cell.
func (r Reader) update(cell string, change func(s *showing, known bool)) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	s, known := r.showing(cell)
	change(&s, known)
	r.memory.showings.Add(r.key(cell), s)
}

// show records that an answer shows a text at a revision.
func (r Reader) show(cell, text string, rev ydoc.Revision) {
	id := r.memory.texts.add(text)
	r.update(cell, func(s *showing, known bool) {
		if !known || s.pending {
			s.first, s.pending = id, false
		}
		if s.last != s.sent {
			s.sent = 0
		}
		s.last, s.rev = id, rev
	})
}

// wrote records that the client has written a text; rev is 0 if the document's text differs from it by now.
func (r Reader) wrote(cell, text string, rev ydoc.Revision) {
	id := r.memory.texts.add(text)
	r.update(cell, func(s *showing, _ bool) {
		*s = showing{first: id, last: id, rev: rev}
		if rev == 0 {
			s.sent = id
		}
	})
}

// refuse records that a change was refused, and whether the refusal shows the current text.
func (r Reader) refuse(cell string, change textID, text string, rev ydoc.Revision, shown bool) {
	id := r.memory.texts.add(text)
	r.update(cell, func(s *showing, known bool) {
		s.refused, s.on, s.pending = change, id, true
		if shown {
			s.first, s.last, s.rev = id, id, rev
		} else if !known {
			s.first, s.last = 0, 0
		}
	})
}

// Knows reports whether the client was shown any version of a text, and whether it was last shown this one, other than by a
// refusal.
func (r Reader) Knows(cell, text string) (known, same bool) {
	s, ok := r.showing(cell)
	return ok && s.last != 0, ok && !s.pending && s.last == r.memory.texts.id(text)
}

// text returns a text that the client knows. now is the current text, which may not be kept.
func (r Reader) text(id textID, now string) (string, bool) {
	if id == r.memory.texts.id(now) {
		return now, true
	}
	return r.memory.texts.of(id)
}

// newer returns the base of a text that a client made from one at a revision: the text that it was shown later, if the made
// text keeps the changes in that, and otherwise the given one. Merging would insert these changes twice.
func newer(r Reader, s showing, rev ydoc.Revision, text, made, now string) string {
	if last, ok := r.text(s.last, now); ok && rev < s.rev && textdiff.Keeps(text, last, made) {
		return last
	}
	return text
}

// chosen returns which of two texts that a client was shown is the base of another: the later one, if the changes between
// them are kept, or the first one, if the change is apart from those. Otherwise the base is unknown.
func chosen(first, last, made string) (base string, ok bool) {
	switch {
	case first == last, textdiff.Keeps(first, last, made):
		return last, true
	case textdiff.Apart(first, last, made):
		return first, true
	}
	return "", false
}
