package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter/waitbudget"
	"github.com/nbduet/nbduet/session/collab/editguard"
)

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
			err = lv.room.Barrier(ctx) // the connection may have been lost without notice
			if err == nil {
				return lv, nil
			}
		}
		if !rtc.IsLost(err) {
			return lv, err
		}
		select {
		case <-swapped:
		case <-d.ctx.Done():
			return lv, err
		case <-ctx.Done():
			return lv, fmt.Errorf("wait until its room is rejoined: %w", ctx.Err())
		}
	}
}

// quietFor is how long the server may be silent before a room is checked.
const quietFor = 7 * time.Second

// wait waits until the document is in step, within a call's wait budget. An [*waitbudget.AwayError] says since when it is
// not.
func (d *Document) wait(ctx context.Context, p *waitbudget.Budget) (lv *live, err error) {
	err = p.Wait(ctx, func(ctx context.Context) (err error) {
		lv, err = d.inStep(ctx)
		return err
	})
	var away *waitbudget.AwayError
	if errors.As(err, &away) {
		return nil, &waitbudget.AwayError{Waited: away.Waited, Since: d.current().lostAt(), Known: away.Known, Refuses: away.Refuses, Why: away.Why}
	}
	return lv, err
}

// await waits until the document can be read: its room has it, or it is known since when it does not. An error means that it
// cannot be read.
func (d *Document) await(ctx context.Context) error {
	p := waitbudget.Of(ctx)
	if p == nil {
		return nil
	}
	_, err := d.wait(ctx, p)
	if errors.As(err, new(*waitbudget.AwayError)) && d.current().room.Err() == nil {
		return nil // its earlier content can be read, see Away
	}
	return err
}

// Fresh waits as [Manager.WithBudget] says until the document's current content can be read. If it cannot, the error says since
// when the server is away.
func (d *Document) Fresh(ctx context.Context) error {
	if waitbudget.Of(ctx) == nil {
		ctx = d.m.WithBudget(ctx, nil)
	}
	_, err := d.wait(ctx, waitbudget.Of(ctx))
	return err
}

// Away says, in one sentence for callers, that the document shows its content from the time when its connection was lost; ""
// if it shows the current content. It also says that the notebook has lost or doubled its cells.
func (d *Document) Away() string {
	lv := d.current()
	if lv.gap != nil {
		return lv.gap.Error()
	}
	if lv.room.State() == rtc.Synced && lv.room.Quiet() < 2*quietFor && !d.m.away() {
		return editguard.Suspicion(lv.nb)
	}
	away := fmt.Sprintf("the Jupyter server has been away since %s: this is the document as of then, with your edits that were reported as not confirmed; people's changes since then are missing", d.current().lostAt().Format("15:04:05"))
	if d.m.cfg.Server != nil {
		if _, why := d.m.cfg.Server.Hub.Stopped(); why != nil {
			away += fmt.Sprintf(" (%v)", why)
		}
	}
	return away
}

// away reports whether the server of the documents is known to be away.
func (m *Manager) away() bool {
	if m.cfg.Server == nil {
		return false
	}
	_, away := m.cfg.Server.Health.Away()
	return away
}

// KernelsThere returns an [*waitbudget.AwayError] if the server of the kernels is known to be away and still does not
// answer: a call that only queues code for a kernel would wait for it again.
func (m *Manager) KernelsThere(ctx context.Context) error {
	p := waitbudget.Of(ctx)
	if p == nil {
		return nil
	}
	away := p.Missing(ctx, m.cfg.Runtime)
	if away == nil {
		return nil // not a nil *waitbudget.AwayError
	}
	return away
}
