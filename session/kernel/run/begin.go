package run

import (
	"time"

	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
)

// beginPause is the time after which code counts as begun once its kernel is busy with it, if the kernel does not report
// it.
const beginPause = 2 * time.Second

// received notes at the first event of a run that its code has begun, so that it can be interrupted. A busy kernel may not
// have begun the code yet: ipykernel ignores an interrupt until it has sent execute_input.
func (in *inputs) received(ev kernel.Event) {
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
