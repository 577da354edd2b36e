// Package kernel is one kernel's channels: it runs code on a Jupyter kernel over the server's websocket and tells what
// comes of it (the Jupyter messaging protocol, version 5.4).
//
// A [Link] is such a connection for as long as a notebook or an analysis session needs one, whatever becomes of the
// kernel meanwhile. Whose the kernels are is known by [Servers], [Owners] and [FixedKernel].
//
// # Concurrency
//
// A [Conn] is safe for concurrent use. It owns three goroutines: one that reads the socket and reconnects, one that
// writes, and one that looks after work that has gone silent; [Conn.Close] waits for all of them.
//
// Each [Conn.Execute] hands its events to its handler one after the other, on the goroutine that called Execute. A few
// events are held for a handler that is slow; beyond that the reading goroutine waits for it, and with it everything
// else on this connection: nothing is dropped and nothing grows. So a handler must not wait for another Execute or for
// something that only a message of the kernel's can bring about. It may call [Conn.Input].
//
// # What ends a request
//
// A request is answered when its reply and the idle status with its id have both come, in whichever order. It ends early
// with [ErrKernelRestarted] or [ErrKernelDead] as soon as the kernel tells of its end, with [ErrAnswerLost] when the
// connection was lost for a while and the kernel turns out to have nothing left to say, and with [ErrClosed] when the
// connection is gone for good. The end of the caller's context returns at once, and leaves the kernel running the code:
// interrupting is a matter for [jupyter.Server.Interrupt].
package kernel
