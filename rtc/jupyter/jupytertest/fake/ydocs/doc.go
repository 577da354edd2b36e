// Package ydocs makes, reads and rewrites shared documents as jupyter_ydoc does on a real server, for servers in
// tests: notebooks, texts, blobs, and the chats of jupyterlab-chat, each with a map "state".
//
// A [Document] holds content in the form of the contents API: a notebook as nbjson reads it, a text, or base64; a
// chat is a text. [Document.SetContent] builds it, or rewrites the present content as jupyter_ydoc would: cells are
// matched by their ids, a changed source is cleared and written anew, a text is changed where it differs.
//
// Numbers are written as floats, as pycrdt does, and the keys of a map in sorted order, which is the order in files
// written by Jupyter; the real server keeps the order of the file.
//
// # Concurrency
//
// A Document may be used from any goroutine; the functions in its [Options] are called with it locked. It starts no
// goroutine.
package ydocs
