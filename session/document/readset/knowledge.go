package readset

import (
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff/ranges"
)

// A text document is shown piece by piece, so of a whole text it is kept which parts a client was shown: it may insert
// anywhere, but removes only what it has read.

// A textReader is a client that is shown a text document.
type textReader struct{ Reader }

// ShowText records that a client is shown a part of a text document's text at a revision, from one byte up to another.
func (r Reader) ShowText(text string, rev ydoc.Revision, from, to int) {
	t := textReader{r}
	known := t.knowledge().of(text, false)
	r.show(whole, text, rev)
	t.keepParts(text, known.Add(ranges.Span{From: from, To: to}))
}

func (r textReader) keepParts(text string, known ranges.Set) {
	r.memory.parts.Add(r.key(whole), parts{r.memory.texts.add(text), known})
}

// A knowledge is what a client knew of a text at one time.
type knowledge struct {
	textReader
	parts
	ok bool // it was shown some of it
}

// knowledge is what the client knows of the document's text.
func (r textReader) knowledge() knowledge {
	p, ok := r.memory.parts.Get(r.key(whole))
	return knowledge{r, p, ok}
}

// of are the parts of a text that the client knows. What an earlier text than the one that it was shown has besides is gone,
// and cannot be removed any more: that counts as known.
func (k knowledge) of(text string, earlier bool) ranges.Set {
	if was, ok := k.text(k.parts.of, text); k.ok && ok {
		return k.known.Carry(was, text, earlier)
	}
	return nil
}

// wroteText records that the client has changed a text: what it knew of it stays known, and what it has put there is. rev is
// 0 if the document has another one by now.
func (k knowledge) wroteText(was, now string, rev ydoc.Revision) {
	k.wrote(whole, now, rev)
	k.keepParts(now, k.of(was, false).Carry(was, now, true))
}

// mayRemove refuses a change of a text, earlier than the one that was shown or not, that removes what the client has not read.
func (k knowledge) mayRemove(base string, earlier bool, c TextChange) error {
	known := k.of(base, earlier)
	at := known.Removed(base, ranges.Span{From: c.From, To: c.To}, c.Put)
	switch {
	case at < 0:
		return nil
	case !k.ok:
		return &OutdatedError{why: textfmt.Quoted(k.doc.Path().String()) + " was never shown to you as a whole, and this would remove text that you have not read"}
	}
	read := lo.SumBy(known, func(part ranges.Span) int { return textfmt.Size(base[part.From:part.To]) })
	return &OutdatedError{why: fmt.Sprintf("you have read %s of the %s of %s, and this would remove others: read on from position %d",
		textfmt.Thousands(read), textfmt.Plural(textfmt.Size(base), "character"), textfmt.Quoted(k.doc.Path().String()), textfmt.Size(base[:at]))}
}
