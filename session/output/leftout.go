package output

// LeftOut is where the text can be read that a run has put out beyond what its cell holds.
type LeftOut struct {
	spool *spool // nil for no such text
	tail  string // the end of it
}

func (o *outputs) leftOut() LeftOut {
	if o.spool == nil {
		return LeftOut{}
	}
	return LeftOut{o.spool, fold(o.restText())}
}

// Empty reports whether there is no such text: the cell holds all that the run has put out.
func (l LeftOut) Empty() bool { return l.spool == nil }

// Page reads at most n characters of the text from the offset-th on, and tells how many there are, so far. Where a part
// is missing, the text says so.
func (l LeftOut) Page(offset, n int) (text string, total int, err error) {
	return l.spool.page(offset, n, l.tail)
}

// WithoutTail is the same without the end of the text, which is held in memory.
func (l LeftOut) WithoutTail() LeftOut { return LeftOut{spool: l.spool} }

// Drop lets go of the text.
func (l LeftOut) Drop() { l.spool.drop() }
