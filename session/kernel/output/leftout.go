package output

// LeftOut reads the text of a run that its cell lacks.
type LeftOut struct {
	spool *spool // nil without such text
	tail  string // the end of it
}

func (o *outputs) leftOut() LeftOut {
	if o.spool == nil {
		return LeftOut{}
	}
	return LeftOut{o.spool, fold(o.restText())}
}

// Empty reports whether nothing was left out: the cell has all of the run's output.
func (l LeftOut) Empty() bool { return l.spool == nil }

// Page reads at most n characters of the text from the offset-th on, and returns their total so far. A note marks a missing
// part.
func (l LeftOut) Page(offset, n int) (text string, total int, err error) {
	return l.spool.page(offset, n, l.tail)
}

// WithoutTail returns l without the end of the text, which is in memory.
func (l LeftOut) WithoutTail() LeftOut { return LeftOut{spool: l.spool} }

// Drop drops the text.
func (l LeftOut) Drop() { l.spool.drop() }
