// Package tool defines the common parts of all tools: name, description and schemas, the check of a call's arguments, the
// answer and its form, the calling client, progress, and questions to a client's user.
//
// It depends on MCP and JSON Schema, but not on notebooks or sessions.
//
// # Answers
//
// The body of an [Answer] is one JSON object. Its text is that object, or the same in words ([Answer.Words]), with images
// beside it, all within [MaxAnswerBytes]; [Answer.Trim] makes the body smaller until it fits. The object can also be
// structured content. An error becomes a tool error, which the model reads. A [Fault], this program's own mistake, becomes a
// protocol error.
//
// # Concurrency
//
// Everything here is safe for concurrent use, except an Answer, which belongs to its call. The package starts one goroutine
// for each call that may ask its client a question through its answer ([Suspended]). The provider of its Start function
// waits for that goroutine.
package tool
