// Package kernels is the kernels of the fake Jupyter server: a table of them, their life (start, interrupt, restart,
// death, end) and their channels, as websockets in both of Jupyter's formats. The cells run in package cells.
//
// It does what jupyter_server 2.21 with ipykernel 7.4 does, with the same delays: 3 s until a dead kernel is noticed,
// 0.2 s until text that is not flushed is sent, a ping every 30 s. Where the real one leaves the order to chance, this
// one has an order:
//   - a reply comes behind the outputs of its request and before the "idle" of it;
//   - text of a stream is not cut where a newline is written;
//   - what a new socket hears unasked is "busy" and twice "idle", and the other sockets hear both requests whole;
//   - at a restart the request that runs is interrupted, shows KeyboardInterrupt and becomes idle, and gets no reply;
//     then come shutdown_reply, idle, and from the new process starting, busy, idle. There is no iopub_welcome.
//
// It differs in that a kernel starts within [Config].StartDelay, has no subshells and no debugger, does not read
// configuration, and answers no requests about code: complete, inspect, is_complete and history.
//
// # Concurrency
//
// All methods of [Table] may be called by any goroutine. A kernel's process is one goroutine, which runs requests one
// after another; a socket has a writer with a queue without bound, and its reader is the goroutine that serves it.
// Mutexes guard short sections, within which nothing waits, and their order is: kernel, process, socket. Every
// goroutine ends before [Table.Close] returns, and all that waits does so on channels, timers and sockets, so that a
// table works within a bubble of testing/synctest; it must be made in the bubble that uses it.
package kernels
