package readset

import (
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A showing is what a client knows of a text: the one that it was shown first since it last wrote it, and the one that it
// was shown or has sent last. Several agents may share one client, and a client may write from what it sent itself, though
// it was shown since what that was merged with. So both may be the base of a new text, see [Reader.base].
type showing struct {
	first, last textID
	rev         ydoc.Revision // at which last was shown; 0 if it was sent and not shown
	// sent is what the client has sent, if that was merged and nothing but its answer has shown the cell since: the same again
	// is the same call, by force too, whose answer may not have arrived.
	sent textID
	// refused is the change that was last refused, 0 for none since the client's last write.
	refused textID
	// on is the text that it was refused on, shown or not: force right after a refusal replaces that, and no key typed since.
	on textID
	// pending: something was refused, and nothing else has shown the text since. What a refusal shows is the base of other
	// content, and never a reason to let the same through.
	pending bool
}

// deletion stands for a deletion in place of the content that was refused.
const deletion textID = 1

// showing is what the client knows of a cell, or of the document's text.
func (r Reader) showing(cell string) (showing, bool) { return r.memory.showings.Get(r.key(cell)) }

// update changes what the client knows of a cell.
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

// wrote records that the client has written a text; rev is 0 if the document has another one by now.
func (r Reader) wrote(cell, text string, rev ydoc.Revision) {
	id := r.memory.texts.add(text)
	r.update(cell, func(s *showing, _ bool) {
		*s = showing{first: id, last: id, rev: rev}
		if rev == 0 {
			s.sent = id
		}
	})
}

// refuse records that a change was refused, and whether the refusal shows the text as it is.
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

// knows reports whether the client was shown a text, last by something else than a refusal, and whether this one.
func (r Reader) knows(cell, text string) (known, same bool) {
	s, ok := r.showing(cell)
	return ok && s.last != 0, ok && !s.pending && s.last == r.memory.texts.id(text)
}

// text returns a text that the client knows; now, which needs not be kept, is the one that is there.
func (r Reader) text(id textID, now string) (string, bool) {
	if id == r.memory.texts.id(now) {
		return now, true
	}
	return r.memory.texts.of(id)
}

// newer is the text from which a client has made another, where it gives the revision of one: the text that it was shown since,
// if what it made keeps what was changed in that. Merged with the change once more, that would be there twice.
func newer(r Reader, s showing, rev ydoc.Revision, text, made, now string) string {
	if last, ok := r.text(s.last, now); ok && rev < s.rev && textdiff.Keeps(text, last, made) {
		return last
	}
	return text
}

// chosen is the one of two texts that a client was shown from which it made another: the later one, if that keeps what was
// changed between them, and the first one, if it has nothing to do with that. Else it cannot be known.
func chosen(first, last, made string) (base string, ok bool) {
	switch {
	case first == last, textdiff.Keeps(first, last, made):
		return last, true
	case textdiff.Apart(first, last, made):
		return first, true
	}
	return "", false
}
