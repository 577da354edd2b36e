package waitbudget

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// flowing is the silence after which a room no longer counts as sending the document.
const flowing = 2 * time.Second

// An OpeningError means that a document is still being opened when a call's time is over. The opening continues, for
// later calls.
type OpeningError struct {
	For time.Duration // time since the start
}

// Kind returns "being opened".
func (e *OpeningError) Kind() string { return "being opened" }

func (e *OpeningError) Error() string {
	return fmt.Sprintf("it is being opened: the Jupyter server has been busy with it for %d s: call again, or wait", seconds(e.For))
}

// Is makes the error match [jupyter.ErrUnreachable].
func (e *OpeningError) Is(target error) bool { return target == jupyter.ErrUnreachable }

func seconds(d time.Duration) int { return int(d.Round(time.Second) / time.Second) }

// An Opening is the progress of a document that is being opened.
type Opening struct {
	Began      time.Time
	progressed atomic.Int64 // when the room last sent something, in nanoseconds
}

// Progress is called when the room sends something.
func (o *Opening) Progress() { o.progressed.Store(time.Now().UnixNano()) }

func (o *Opening) quiet() time.Duration { return time.Since(time.Unix(0, o.progressed.Load())) }

// WaitOpened waits until ready is closed, which means that the document at a path is open: as long as the server
// sends it, else no longer than the budget. The error is then an [*OpeningError] if the server accepts connections,
// else an [*AwayError].
func (b *Budget) WaitOpened(ctx context.Context, path jupyter.Path, o *Opening, ready <-chan struct{}) error {
	limit, began := b.begin(), time.Now()
	defer b.end()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for said := spoken(0); ; {
		select {
		case <-ready: // whether the server answers or not
			return nil
		default:
		}
		if away := b.gone(); away != nil {
			return away
		}
		select {
		case <-ready:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		waited := time.Since(began)
		if waited >= limit && o.quiet() > flowing {
			if err := b.stillOpening(ctx, o, began, limit); err != nil {
				return err
			}
		}
		if b.server != nil {
			if away := stillAway(ctx, b.server.Health); away != nil && !away.busy() {
				return b.note(away)
			}
		}
		if said.due(waited) {
			b.tell(fmt.Sprintf("opening %s: the Jupyter server has been busy with it for %d s", path, int(time.Since(o.Began).Seconds())))
		}
	}
}

// stillOpening returns the error of a call that has waited long enough; nil if the room has sent something during the
// check of the server.
func (b *Budget) stillOpening(ctx context.Context, o *Opening, began time.Time, limit time.Duration) error {
	switch there := b.server == nil || b.server.Health.Takes(ctx); {
	case !there:
		return b.inVain(began, limit, nil)
	case o.quiet() <= flowing:
		return nil
	}
	return &OpeningError{For: time.Since(o.Began)}
}
