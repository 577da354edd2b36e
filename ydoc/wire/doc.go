// Package wire reads and writes the bytes that travel between the peers of a shared document: Yjs version 1 updates,
// state vectors, and the frames of a jupyter-collaboration room socket. It knows nothing of documents.
//
// Its main task is to stand guard. The CRDT library decodes what it is given on trust: a wrong length makes it allocate
// without bound, a wrong count makes it loop for hours, and neither can be recovered from. [CheckUpdate] walks an
// update from the first byte to the last before the library sees it and accepts exactly what Yjs 13, yrs and y-crdt
// encode: every length and count inside the input, every number a safe JavaScript integer, every string valid UTF-8,
// every reference to an earlier struct, nothing left over. What it accepts can be decoded in time and memory linear in
// its size. It cannot know what the document holds, so whether the update fits the document is for the caller to see
// after applying; and putting decoded items in their places takes quadratic time in any Yjs library for items made to
// collide, which no look at the bytes alone can tell: code that applies them must bound that time.
//
// Formats are those of lib0 (encoding.js, decoding.js), Yjs (UpdateEncoder V1, structs, DeleteSet) and y-protocols
// (sync.js, awareness.js).
//
// Concurrency: the package has no state. Every function may be called from any goroutine; a [Reader] belongs to one
// goroutine. No function keeps or changes the bytes it is given, and those that return parts of them say so.
package wire
