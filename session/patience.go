package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// DefaultServerTimeout is how long a call waits for a Jupyter server that does not answer.
const DefaultServerTimeout = 10 * time.Second

// sayAfter is how long a call waits before its caller hears of it.
const sayAfter = 2 * time.Second

// An AwayError says that the Jupyter server did not answer in time.
type AwayError struct {
	Waited time.Duration
	Since  time.Time // when its connection was lost; zero if it is not known to be
	// Known tells that it was known to be away, and was only asked whether it is back.
	Known bool
	// Why is how it failed to answer then.
	Why error
}

// Kind is "server away".
func (e *AwayError) Kind() string { return "server away" }

func (e *AwayError) Error() string {
	switch {
	case e.busy() && e.Since.IsZero():
		return fmt.Sprintf("the Jupyter server has not answered for %s: %v", e.Waited, e.Why)
	case e.busy():
		return fmt.Sprintf("the Jupyter server has not answered since %s: %v", e.Since.Format("15:04:05"), e.Why)
	case e.Known:
		return fmt.Sprintf("the Jupyter server is away since %s, and does not answer yet: %v", e.Since.Format("15:04:05"), e.Why)
	case e.Since.IsZero():
		return fmt.Sprintf("the Jupyter server has not answered for %s: it is stopped or out of reach", e.Waited)
	}
	return fmt.Sprintf("the Jupyter server is away since %s, and did not come back within %s", e.Since.Format("15:04:05"), e.Waited)
}

// busy reports whether the server is there, and answers nothing.
func (e *AwayError) busy() bool { return errors.Is(e.Why, jupyter.ErrBusy) }

// Is makes it match [jupyter.ErrUnreachable].
func (e *AwayError) Is(target error) bool { return target == jupyter.ErrUnreachable }

// patience is what one call has left for a server that does not answer. It waits in vain once: what else needs the server
// then fails at once. What it has waited for answers that came counts as well: whoever calls waits for all of it.
type patience struct {
	limit  time.Duration
	tell   func(message string)
	server *jupyter.Server // that has the documents; nil in tests

	mu     sync.Mutex
	away   *AwayError
	waits  int           // that go on
	since  time.Time     // when the first of them began
	waited time.Duration // in those before them
}

type patienceKey struct{}

// Patient returns a context for one call: what the call does with documents waits for the Jupyter server at most
// Config.ServerTimeout in all, and an edit that cannot be sent to the room is not made. Once a call has waited for about
// that long in vain, those after it only ask the server whether it is back, until it is. tell, which may be nil, hears
// of a long wait about once a second. Without it documents wait as long as their context lasts, as what goes on without
// a caller should.
func (m *Manager) Patient(ctx context.Context, tell func(message string)) context.Context {
	if tell == nil {
		tell = func(string) {}
	}
	p := &patience{limit: m.cfg.ServerTimeout, tell: tell, server: m.cfg.Server}
	ctx = jupyter.WithAway(ctx, func(s *jupyter.Server) error {
		away := p.gone()
		if away == nil {
			away = p.missing(ctx, s)
		}
		if away == nil {
			return nil // and not a nil *AwayError
		}
		return away
	})
	return context.WithValue(ctx, patienceKey{}, p)
}

func patienceOf(ctx context.Context) *patience {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	return p
}

// gone is the error of an earlier wait of this call.
func (p *patience) gone() *AwayError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.away
}

// missing is the error of a call that needs a server that is known to be away, and has asked it once more; nil if it is
// not.
func (p *patience) missing(ctx context.Context, s *jupyter.Server) *AwayError {
	away := stillAway(ctx, s)
	if away != nil && s == p.server {
		return p.note(away)
	}
	return away
}

// stillAway is the error of a server that is known to be away, and was asked once more; nil if it is not.
func stillAway(ctx context.Context, s *jupyter.Server) *AwayError {
	if s == nil {
		return nil
	}
	since, why := s.StillAway(ctx)
	if why == nil || ctx.Err() != nil {
		return nil //nolint:nilerr // a call that is over hears that where it waits
	}
	return &AwayError{Since: since, Known: true, Why: why}
}

// begin begins a wait, and returns how long it may take.
func (p *patience) begin() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits++; p.waits == 1 {
		p.since = time.Now()
	}
	return max(p.limit-p.waited-time.Since(p.since), leastWait)
}

// end ends a wait. Waits at the same time count once.
func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits--; p.waits == 0 {
		p.waited += time.Since(p.since)
	}
}

// leastWait is how long a call that has already waited long waits for the next answer: one that is there gives it.
const leastWait = time.Second

// wait calls f, which waits for the server, with a context that ends in time. Its error is then an [*AwayError].
func (p *patience) wait(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	if away := p.gone(); away != nil {
		return away
	}
	if away := p.missing(ctx, p.server); away != nil {
		return away
	}
	limit = min(limit, p.begin())
	defer p.end()
	began := time.Now()
	bound, stop := context.WithTimeout(ctx, limit)
	defer stop()
	quiet := p.sayWaiting(bound, limit, stop)
	err := f(bound)
	waited := bound.Err()
	stop()
	away := <-quiet
	switch {
	case err == nil, ctx.Err() != nil, waited == nil:
		return err
	case away.Known && errors.Is(err, context.Canceled): // somebody else has waited for it in vain
		return p.note(&away)
	case !errors.Is(waited, context.DeadlineExceeded), !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return p.inVain(began, limit, away.Why)
}

// inVain is the error of a wait that lasted as long as it might, and makes known that the server is away.
func (p *patience) inVain(began time.Time, limit time.Duration, why error) *AwayError {
	if p.server != nil && limit >= p.limit/2 { // less may be a server that is slow
		p.server.Silent(began)
	}
	return p.note(&AwayError{Waited: limit.Round(time.Second), Why: why})
}

// note keeps the error of a wait in vain for what else the call needs the server for.
func (p *patience) note(away *AwayError) *AwayError {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
	return away
}

// sayWaiting tells the caller of the wait until ctx ends, and ends the wait when it becomes known otherwise that the
// server is away. The channel gets what is known of that when it has ended; near the limit it is looked whether somebody
// is there.
func (p *patience) sayWaiting(ctx context.Context, limit time.Duration, stop func()) <-chan AwayError {
	quiet := make(chan AwayError, 1)
	began := time.Now()
	go func() {
		tick := time.NewTicker(heedEvery)
		defer tick.Stop()
		var said spoken
		var known AwayError
		defer func() { quiet <- known }()
		for looked := false; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if ctx.Err() != nil {
				return // a look may have lasted beyond that, and a tick be due as well
			}
			if away := p.missing(ctx, p.server); away != nil && ctx.Err() == nil {
				known = *away
				stop()
				return
			}
			waited := time.Since(began)
			if waited >= limit-lookBefore && !looked && p.server != nil {
				if looked = true; p.server.Takes(ctx) {
					known.Why = jupyter.ErrBusy
				}
			}
			if said.due(waited) {
				p.tell(fmt.Sprintf("waiting for the Jupyter server, which has not answered for %d s", int(waited.Seconds())))
			}
		}
	}()
	return quiet
}

// spoken is how long a caller had waited when it last heard of that.
type spoken time.Duration

// due reports whether a caller that has waited so long is to hear of it: after sayAfter, and about once a second.
func (s *spoken) due(waited time.Duration) bool {
	if waited < sayAfter || waited < time.Duration(*s)+time.Second {
		return false
	}
	*s = spoken(waited)
	return true
}

// lookBefore is how long before a call's patience ends it looks whether somebody takes connections.
const lookBefore = time.Second

// heedEvery is how often a call that waits looks whether another has found the server to be away.
const heedEvery = 200 * time.Millisecond

// inStep waits until the document's room has the document: until a lost connection is back, or a lost room is joined
// again.
func (d *Document) inStep(ctx context.Context) (*live, error) {
	for {
		d.mu.Lock()
		lv, swapped := d.live, d.swapped
		d.mu.Unlock()
		err := lv.room.WaitSynced(ctx)
		if err == nil {
			if lv.room.Quiet() < quietFor {
				return lv, nil
			}
			err = lv.room.Barrier(ctx) // it may have been gone for a while, and nobody has noticed
			if err == nil {
				return lv, nil
			}
		}
		var end *rtc.CloseError
		if !errors.As(err, &end) || end.Action != rtc.Discard {
			return lv, err
		}
		select {
		case <-swapped:
		case <-d.ctx.Done():
			return lv, err
		case <-ctx.Done():
			return lv, fmt.Errorf("wait until its room is joined again: %w", ctx.Err())
		}
	}
}

// quietFor is after how long without a word of the server a room is asked whether it is there.
const quietFor = 7 * time.Second

// wait waits until the document is in step, with the patience of a call. An [*AwayError] says since when it is not.
func (d *Document) wait(ctx context.Context, p *patience) (lv *live, err error) {
	err = p.wait(ctx, p.limit, func(ctx context.Context) (err error) {
		lv, err = d.inStep(ctx)
		return err
	})
	var away *AwayError
	if errors.As(err, &away) {
		return nil, &AwayError{Waited: away.Waited, Since: d.lostAt(), Known: away.Known, Why: away.Why}
	}
	return lv, err
}

// lostAt is when the document's connection was lost, or the server last heard of.
func (d *Document) lostAt() time.Time {
	room := d.current().room
	if room.State() == rtc.Synced {
		return time.Now().Add(-room.Quiet())
	}
	return room.LostAt()
}

// await waits until the document can be read: its room has it, or it is known since when it does not. The error says
// that there is nothing to be read.
func (d *Document) await(ctx context.Context) error {
	p := patienceOf(ctx)
	if p == nil {
		return nil
	}
	_, err := d.wait(ctx, p)
	if errors.As(err, new(*AwayError)) && d.current().room.Err() == nil {
		return nil // it can be read as it was then, see Away
	}
	return err
}

// Fresh waits as [Manager.Patient] says until the document can be read as it is now. If it cannot, the error says since
// when the server is away.
func (d *Document) Fresh(ctx context.Context) error {
	if patienceOf(ctx) == nil {
		ctx = d.m.Patient(ctx, nil)
	}
	_, err := d.wait(ctx, patienceOf(ctx))
	return err
}

// Away says, in one sentence for callers, that the document is not shown as it is now but as it was when its connection
// was lost; "" if it is shown as it is.
func (d *Document) Away() string {
	lv := d.current()
	if lv.gap != nil {
		return lv.gap.Error()
	}
	if lv.room.State() == rtc.Synced && lv.room.Quiet() < 2*quietFor && !d.m.away() {
		return ""
	}
	return fmt.Sprintf("the Jupyter server is away since %s: this is the document as of then, with edits of yours that were answered as not confirmed; what people have changed since is missing", d.lostAt().Format("15:04:05"))
}

// away reports whether the server of the documents is known to be away.
func (m *Manager) away() bool {
	if m.cfg.Server == nil {
		return false
	}
	_, away := m.cfg.Server.Away()
	return away
}

// KernelsThere fails, with an [*AwayError], if the server of the kernels is known to be away and does not answer yet: a
// call that only queues code for a kernel would wait for that again.
func (m *Manager) KernelsThere(ctx context.Context) error {
	p := patienceOf(ctx)
	if p == nil {
		return nil
	}
	away := p.missing(ctx, m.cfg.Kernels)
	if away == nil {
		return nil // and not a nil *AwayError
	}
	return away
}
