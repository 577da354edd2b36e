// Package render decides which outputs, images and figures an answer shows, within the limits of the answer.
//
// It imports session/render, which makes single outputs fit for a model, and tools/tool.
//
// Start from [Contents], the decoded outputs of a cell, and [ImageSet], the images of one answer; an [ImageStore] keeps the
// images of all answers.
//
// # Concurrency
//
// An [ImageStore] is safe for concurrent use; Contents and an ImageSet belong to one answer. The package starts no
// goroutine.
package render
