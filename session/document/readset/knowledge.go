package readset

import (
	"fmt"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/textdiff/ranges"
)

// A text document is shown piece by piece, so the memory keeps which parts of a text a client was shown. The client may
// insert anywhere, but may remove only text that it has read.

// A textReader is a client of a text document.
type textReader struct{ Reader }

// ShowText records that a client is shown the bytes [from, to) of a text at a revision.
func (r Reader) ShowText(text string, rev ydoc.Revision, from, to int) {
	t := textReader{r}
	known := t.knowledge().of(text, false)
	r.show(whole, text, rev)
	t.keepParts(text, known.Add(ranges.Span{From: from, To: to}))
}

func (r textReader) keepParts(text string, known ranges.Set) {
	r.memory.parts.Add(r.key(whole), parts{r.memory.texts.add(text), known})
}

// A knowledge is the parts of a text that a client knew at one time.
type knowledge struct {
	textReader
	parts
	ok bool // it was shown some of it
}

// knowledge returns the client's knowledge of the document's text.
func (r textReader) knowledge() knowledge {
	p, ok := r.memory.parts.Get(r.key(whole))
	return knowledge{r, p, ok}
}

// of returns the parts of a text that the client knows. Parts of an earlier text that the shown text no longer has count as
// known: they cannot be removed again.
func (k knowledge) of(text string, earlier bool) ranges.Set {
	if was, ok := k.text(k.parts.of, text); k.ok && ok {
		return k.known.Carry(was, text, earlier)
	}
	return nil
}

// wroteText records that the client has changed a text: the parts it knew stay known, and the new text becomes known. rev is
// 0 if the document's text differs from it by now.
func (k knowledge) wroteText(was, now string, rev ydoc.Revision) {
	k.wrote(whole, now, rev)
	k.keepParts(now, k.of(was, false).Carry(was, now, true))
}

// mayRemove returns an error if a change removes text that the client has not read. earlier is set if base is older than the
// text that was shown.
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
	return &OutdatedError{why: fmt.Sprintf("you have read %s of the %s of %s, and this removes unread ones: read on from position %d",
		textfmt.Thousands(read), textfmt.Plural(textfmt.Size(base), "character"), textfmt.Quoted(k.doc.Path().String()), textfmt.Size(base[:at]))}
}
