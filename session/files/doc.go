// Package files makes, copies, renames and deletes files on the documents' server, and has the documents that are open
// take their part in it: what is copied has the latest edits, what is renamed is followed, what is deleted is left first.
//
// # Concurrency
//
// [Files] is safe for use by any goroutine. It starts none. Of several calls that give a file its name one does so at a
// time, because the server looks before it moves.
package files
