// Package document has the tools of text documents and of files: read, edit, overwrite, create, rename, copy, delete
// and list them, and say which of them are held open. [Tools] lists them.
//
// Positions and lengths in a text are Unicode code points. A notebook that is overwritten is merged cell by cell with what
// it holds, so that cells keep their ids and other people's edits.
package document
