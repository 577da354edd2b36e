// Package render is the folder of what makes kernel outputs fit for a model: images (images), HTML as text (htmltext),
// shortened tracebacks (traceback), and data: URIs taken out of texts (datauri).
//
// They import ydoc, session/textfmt and paths of rtc/jupyter; they know no document, no client and no answer. How much of
// an output an answer shows is the work of tools/render.
//
// Start from images.Store, or from the one function of each other package.
package render
