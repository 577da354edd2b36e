// Package tool defines what all tools have: name, description and schemas, the checking of a call's arguments, the
// answer and how it is written, the client that calls, progress, and questions to a client's user.
//
// It knows MCP and JSON Schema, but neither notebooks nor sessions.
//
// # Answers
//
// The body of an [Answer] is one JSON object. Its text is that, or the same in words ([Answer.Words]), with images beside
// it, all within [MaxAnswerBytes]; [Answer.Trim] makes the body smaller until it fits. The object can be structured content
// as well. An error becomes a tool
// error, which the model reads. A [Fault], this program's own mistake, becomes a protocol error.
//
// # Concurrency
//
// Everything here may be used by several goroutines at once, except an Answer, which belongs to its call. The package
// starts one goroutine for each call that may ask its client something through its answer ([Suspended]). The Start
// function of the Suspended says who waits for that goroutine.
package tool
