// Package plaintext writes the answers of tools in words, for a model to read at the least cost, with texts verbatim.
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
// nbduet's own lines begin with a mark, "@@". No line of the texts begins with it: if one does, the whole answer uses
// another mark ([Text.String]). A text therefore cannot be mistaken for a head line, and needs no escapes. A block's text
// ends with the line end before the next mark; an empty text has no line.
//
// The package has only values and functions, without shared state.
package plaintext
