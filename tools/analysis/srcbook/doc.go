// Package srcbook writes notebooks as srcbook markdown and reads them back.
//
// Srcbook (github.com/srcbookdev/srcbook, packages/api/srcmd) stores a notebook as a Markdown file whose name ends in
// ".src.md". It begins with a comment that names the language, then has a title (a heading of level 1) and the cells:
// text verbatim, and code as a heading of level 6 with a file name and a fenced block.
//
//	<!-- srcbook:{"language":"python"} -->
//
//	# Title
//
//	Some text.
//
//	###### load.py
//
//	```python
//	import csv
//	```
//
// This form does not show where the first of two adjacent Markdown cells ends, and has neither ids nor raw cells. So
// [Encode] writes a comment, invisible in Markdown, before each cell that needs one: <!-- cell:{"id":"intro"} -->.
// [Decode] reads the output of Encode into the same cells, and any other srcbook file by srcbook's own rules. Outputs and
// attachments are not part of the format.
//
// # Concurrency
//
// The functions share no state, and may be called from any goroutine.
package srcbook
