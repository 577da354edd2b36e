package up

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stops are the signals by which somebody ends the command. The first asks for an orderly end; while that lasts, a second
// must not end this process alone, or the server would be left: it hurries.
type stops struct {
	hurry chan struct{} // closed at the second
	end   chan struct{}
	ended chan struct{}
}

// listen hears the signals until forget is called. The context that it returns ends at the first.
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
