package up

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

const (
	// endTime is how long a server has to end its kernels, and then itself with any that are left.
	endTime = 10 * time.Second
	// roomTime is how long a server without kernels has. With a person in a room it never ends by itself: it has unloaded
	// the room, waits for the websocket to close, and accepts no more requests.
	roomTime = 1500 * time.Millisecond
	// askAgain is the interval after which the server is asked to end again, in case the signal was lost.
	askAgain = time.Second
)

// end ends the server's kernels and asks it to end. It kills the server if that takes too long, or if hurry is closed.
func (v *server) end(hurry <-chan struct{}) error {
	if v.api != nil {
		defer v.api.CloseIdleConnections()
	}
	select {
	case <-v.ended:
		return nil
	default:
	}
	left := lo.Ternary(v.endKernels(hurry), roomTime, endTime)
	if err := quit(v.cmd); err == nil && v.endsSoon(left, hurry) {
		return nil
	}
	err := kill(v.cmd)
	<-v.ended
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop JupyterLab: %w", err)
	}
	return nil
}

// endsSoon waits for a server that was asked to end, and reports whether it ended. A server that is writing a line of its
// log may lose the signal. One that has received it removes its file first.
func (v *server) endsSoon(left time.Duration, hurry <-chan struct{}) bool {
	over := time.After(left)
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for {
		select {
		case <-v.ended:
			return true
		case <-again.C:
			if fileOf(v.running) != "" {
				_ = quit(v.cmd) // fails if it has just ended
			}
		case <-over:
			return false
		case <-hurry:
			return false
		}
	}
}

// endKernels ends the server's kernels, and reports whether all have ended. The last edits are mostly saved meanwhile,
// because rooms are not saved when their server ends.
func (v *server) endKernels(hurry <-chan struct{}) bool {
	if v.api == nil {
		return false // the server has never answered
	}
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	ended := make(chan bool, 1)
	go func() { ended <- allEnd(ctx, v.api) }()
	select {
	case none := <-ended:
		return none
	case <-hurry:
		stop()
		<-ended
		return false
	}
}

// allEnd ends the kernels of a server, and reports whether all have ended.
func allEnd(ctx context.Context, srv *jupyter.Server) bool {
	kernels, err := srv.Kernels.List(ctx)
	if err != nil {
		return false
	}
	var left atomic.Bool
	var ending sync.WaitGroup
	for _, k := range kernels {
		ending.Go(func() {
			if err := srv.Kernels.Shutdown(ctx, k.ID); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
				left.Store(true)
			}
		})
	}
	ending.Wait()
	return !left.Load()
}
