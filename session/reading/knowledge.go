package reading

import (
	"fmt"

	"github.com/nbduet/nbduet/session/spans"
	"github.com/nbduet/nbduet/session/words"
	"github.com/nbduet/nbduet/ydoc"
)

// A text document is shown piece by piece, so of a whole text it is kept which parts a client was shown: it may insert
// anywhere, but removes only what it has read.

// ShowText records that a client is shown a part of a text document's text at a revision, from one byte up to another.
func (r Reader) ShowText(text string, rev ydoc.Revision, from, to int) {
	known := r.knowledge().of(text, false)
	r.show(whole, text, rev)
	r.keepParts(text, rev, known.Add(spans.Span{From: from, To: to}))
}

func (r Reader) keepParts(text string, rev ydoc.Revision, known spans.Set) {
	r.memory.parts.Add(r.key(whole), parts{r.memory.sources.hash(text), rev, known})
}

// A knowledge is what a client knew of a text at one time.
type knowledge struct {
	Reader
	parts
	ok   bool   // it was shown some of it
	text string // of which the parts are, where the replica has it; else ""
}

// knowledge is what the client knows of the document's text now. It must not be asked for in an edit.
func (r Reader) knowledge() knowledge {
	k := knowledge{Reader: r}
	k.parts, k.ok = r.memory.parts.Get(r.key(whole))
	t := r.doc.Text()
	if !k.ok || t == nil {
		return k
	}
	// Another replica may have had another text at that revision.
	if text, err := t.At(k.rev); err == nil && r.memory.sources.hash(text) == k.hash {
		k.text = text
	}
	return k
}

// of are the parts of a text that the client knows. What an earlier text than the one that it was shown has besides is gone,
// and cannot be removed any more: that counts as known.
func (k knowledge) of(text string, earlier bool) spans.Set {
	switch {
	case k.ok && k.hash == k.memory.sources.hash(text):
		return k.known
	case k.text != "":
		return k.known.Carry(k.text, text, earlier)
	}
	return nil
}

// wroteText records that the client has changed a text: what it knew of it stays known, and what it has put there is.
func (k knowledge) wroteText(was, now string, rev ydoc.Revision) {
	k.wrote(whole, now, rev)
	k.keepParts(now, rev, k.of(was, false).Carry(was, now, true))
}

// mayRemove refuses a change, of the text at a revision, 0 for the latest, that removes what the client has not read.
func (k knowledge) mayRemove(rev ydoc.Revision, base string, c TextChange) error {
	known := k.of(base, rev != 0 && rev < k.rev)
	at := known.Removed(base, spans.Span{From: c.From, To: c.To}, c.Put)
	switch {
	case at < 0:
		return nil
	case !k.ok:
		return &OutdatedError{Path: k.doc.Path(), why: words.Quoted(k.doc.Path().String()) + " was never shown to you as a whole, and this would remove text that you have not read"}
	}
	read := 0
	for _, part := range known {
		read += words.Size(base[part.From:part.To])
	}
	return &OutdatedError{Path: k.doc.Path(), why: fmt.Sprintf("you have read %s of the %s of %s, and this would remove others: read on from position %d",
		words.Thousands(read), words.Plural(words.Size(base), "character"), words.Quoted(k.doc.Path().String()), words.Size(base[:at]))}
}
