package run

import (
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
)

// beginPause is how long after a kernel has become busy with a run the code has begun, where the kernel does not say so.
const beginPause = 2 * time.Second

// heard notes by the first event of a run that its code has begun, so that it can be interrupted. A kernel that is busy
// with it has not begun yet: ipykernel ignores an interrupt until it has said execute_input.
func (in *inputs) heard(ev kernel.Event) {
	switch ev := ev.(type) {
	case kernel.Gap: // says nothing about the code
	case kernel.Status:
		if ev.State == kernel.StateBusy {
			in.wg.Go(in.begunLater)
		}
	default:
		in.begun()
	}
}

// begunLater is for kernels that send no execute_input.
func (in *inputs) begunLater() {
	pause := time.NewTimer(beginPause)
	defer pause.Stop()
	select {
	case <-pause.C:
		in.begun()
	case <-in.ctx.Done():
	}
}

func (in *inputs) begun() {
	if w, ok := in.w.(*output.Writer); ok {
		w.Begin()
	}
	if in.r.take() {
		in.q.interruptLate(in.r)
	}
}
