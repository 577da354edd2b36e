// Package kernels implements the kernels of the fake Jupyter server: a table of them, their life cycle (start,
// interrupt, restart, death, end) and their channels, as websockets in both of Jupyter's formats. Package cells runs
// the cells.
//
// It imitates jupyter_server 2.21 with ipykernel 7.4, with the same delays: 3 s until a dead kernel is noticed, 0.2 s
// until unflushed text is sent, a ping every 30 s. Where the real one's order is random, this one's is fixed:
//   - a reply follows the outputs of its request and precedes its "idle";
//   - text of a stream is not split at a newline;
//   - a new socket gets, unrequested, "busy" and twice "idle", and the other sockets get both requests completely;
//   - at a restart the running request is interrupted, shows KeyboardInterrupt and becomes idle, and gets no reply;
//     then come shutdown_reply, idle, and from the new process starting, busy, idle. There is no iopub_welcome.
//
// It differs in that a kernel starts within [Config].StartDelay, has no subshells and no debugger, does not read
// configuration, and answers no requests about code: complete, inspect, is_complete and history.
//
// # Concurrency
//
// All methods of [Table] may be called from any goroutine. A kernel's process is one goroutine, which runs requests
// one after another; a socket has a writer with an unbounded queue, and is read by the goroutine that serves it.
// Mutexes guard short sections without waits, in the order kernel, process, socket. Every goroutine ends before
// [Table.Close] returns, and all waits are on channels, timers and sockets, so that a table works in a bubble of
// testing/synctest; it must be made in the bubble that uses it.
package kernels
