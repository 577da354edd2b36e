// Package tool is what a tool is, whatever it is about: its name, description and schemas, the arguments of a call
// and how they are checked, the answer and how it is written, the client that calls, progress, and questions to a
// client's user.
//
// It knows MCP and JSON Schema, and neither notebooks nor sessions.
//
// # Answers
//
// A tool's [Answer] has one JSON object as its body. It goes out once as text and once as structured content, with images
// beside it, all of it within [MaxAnswerBytes]; [Answer.Trim] makes the body smaller until it fits. An error becomes a
// tool error, which the model reads; a [Fault], which is this program's own mistake, becomes a protocol error.
//
// # Concurrency
//
// Everything here may be used by several goroutines at once, except an Answer, which belongs to its call. The package
// starts one goroutine: that of a call which may ask its client something by way of its answer ([Suspended]). Whoever
// makes the Suspended says by its Start who waits for that goroutine.
package tool
