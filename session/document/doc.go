// Package document is the folder of the packages that keep the state of one open document: what each client was shown and
// may write (readset), how the file follows the room (filesync), who changed what (changelog), what can be undone (undo),
// notebook files (nbformat), headings and definitions in cells (outline), and files whose rooms cannot be joined (refusedrooms).
//
// They import ydoc, rtc, session/render, session/origin and session/textfmt, but not people, kernels or the manager.
//
// Start from readset.Reader, which decides every write; filesync.Saver decides whether an edit is in the file.
package document
