// Package waiting decides how a call waits for code: how long, behind which other run, with which progress messages, and who
// answers the input that the code asks for.
//
// It imports session/kernel/run, session/render/images, tools/render and tools/tool.
//
// Start from [Await]; [Waits] has the settings.
//
// # Concurrency
//
// All functions are safe for concurrent use. The package starts no goroutine.
package waiting
