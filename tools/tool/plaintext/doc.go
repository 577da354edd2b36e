// Package plaintext writes the answers of tools in words: what a model reads, at the least cost, with texts as they stand.
//
// An answer is a [Text]: a first line, then blocks, each a head line and the text beneath it, then notes.
//
//	work/a.ipynb, 2 cells, revision 3kq2
//	@@0 9c1e markdown
//	# Prices
//	@@1 4f2a [5]
//	df.head()
//	@@ out
//	   day  price
//	0    1   2.50
//
// The lines of nbduet's own begin with a mark, "@@", which no line of the texts begins with: where one does, the mark of
// the whole answer is another ([Text.String]). So a text cannot be mistaken for a head line, and needs no escapes. A
// block's text ends with the line end before the next mark; an empty one has no line at all.
//
// The package has only values and functions, without shared state.
package plaintext
