package up

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stops are the signals that end the command. The first requests an orderly end. A second one during that end must not kill
// this process alone, which would leave the server running: it speeds up the end.
type stops struct {
	hurry chan struct{} // closed at the second signal
	end   chan struct{}
	ended chan struct{}
}

// listen handles the signals until forget is called. The returned context ends at the first.
func listen(ctx context.Context) (context.Context, *stops) {
	ctx, cancel := context.WithCancel(ctx)
	s := &stops{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer close(s.ended)
		defer cancel()
		defer signal.Stop(signals)
		for n := 1; ; n++ {
			select {
			case <-signals:
			case <-s.end:
				return
			}
			cancel()
			if n == 2 {
				close(s.hurry)
			}
		}
	}()
	return ctx, s
}

func (s *stops) forget() {
	close(s.end)
	<-s.ended
}
