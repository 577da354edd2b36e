// Package kernel runs code on a Jupyter kernel over the server's websocket, and reports the outcome (the Jupyter messaging
// protocol, version 5.4).
//
// A [Conn] is one connection. A [Link] keeps one for a notebook or an analysis session, and connects again when the kernel
// has died or was replaced. [Servers], [Owners] and [FixedKernel] record which kernel belongs to which owner.
//
// # Concurrency
//
// A [Conn] is safe for concurrent use. It owns three goroutines: one that reads the socket and reconnects, one that writes,
// and one that watches silent requests; [Conn.Close] waits for all of them.
//
// Each [Conn.Execute] hands its events to its handler one after the other, on the goroutine that called Execute. A few
// events are buffered for a slow handler; beyond that the reading goroutine waits for it, and so does everything else on
// this connection: nothing is dropped, and memory does not grow. So a handler must not wait for another Execute, or for
// anything that needs a kernel message. It may call [Conn.Input].
//
// # What ends a request
//
// A request is answered when its reply and the idle status with its id have both come, in any order. It ends early with
// [ErrKernelRestarted] or [ErrKernelDead] when the kernel reports its end, with [ErrAnswerLost] if the connection was lost
// for a while and the kernel has nothing left to send, and with [ErrClosed] when the connection is gone for good. When the
// caller's context ends, Execute returns at once and the kernel keeps running the code; [jupyter.Kernels.Interrupt] stops
// it.
package kernel
