// Package wire encodes and decodes the messages between peers of a shared document: Yjs version 1 updates, state
// vectors, and the frames of a jupyter-collaboration room socket. It does not hold documents.
//
// Its main task is validation. The CRDT library trusts its input: a wrong length makes it allocate without bound, a
// wrong count makes it loop for hours, and neither is recoverable. [CheckUpdate] reads a whole update before the
// library does, and accepts exactly the encodings of Yjs 13, yrs and y-crdt: every length and count inside the input,
// every number a safe JavaScript integer, every string valid UTF-8, every reference to an earlier struct, no trailing
// bytes. An accepted update can be decoded in time and memory linear in its size. Whether it fits the document is
// only known after applying it. Placing decoded items takes quadratic time in any Yjs library if the items are made
// to collide, which the bytes alone do not show: code that applies them must bound that time.
//
// Formats are those of lib0 (encoding.js, decoding.js), Yjs (UpdateEncoder V1, structs, DeleteSet) and y-protocols
// (sync.js, awareness.js).
//
// Concurrency: the package has no state. Every function is safe for concurrent use; a [Reader] belongs to one
// goroutine. Functions neither keep nor change their input; functions that return parts of it say so.
package wire
