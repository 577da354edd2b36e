// Package document has the tools for text documents and files: read, edit, overwrite, create, rename, copy, delete and list
// them, and show which are open. [Tools] lists them.
//
// Positions and lengths in a text are Unicode code points. Overwriting a notebook merges the new cells with the old ones, so
// that cells keep their ids and other people's edits.
package document
