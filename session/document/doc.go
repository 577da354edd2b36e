// Package document is the folder of what is kept of one open document, each part in a package of its own: what each client
// was shown and may write (readset), how the file follows the room (filesync), what was changed by whom (changelog), what
// can be undone (undo), notebook files (nbformat), and files whose rooms cannot be joined (refusedrooms).
//
// They import ydoc, rtc, session/render, session/origin and session/textfmt, and nothing of people, kernels or the manager.
//
// Start from readset.Reader, which decides every write; filesync.Saver decides whether an edit is in the file.
package document
