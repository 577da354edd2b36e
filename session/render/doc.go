// Package render is the folder of packages that prepare kernel outputs for a model: images (images), HTML as text
// (htmltext), shortened tracebacks (traceback), and data: URIs extracted from texts (datauri).
//
// They import ydoc, session/textfmt and paths of rtc/jupyter; they do not depend on documents, clients or answers.
// tools/render decides how much of an output an answer shows.
//
// Start from images.Store, or from the one function of each other package.
package render
