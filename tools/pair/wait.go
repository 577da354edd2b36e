package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/changelog"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

const (
	// paused is how long people must not have changed anything to count as having paused.
	paused = 1500 * time.Millisecond
	// tellEvery is the interval of progress reports of a waiting call.
	tellEvery = 5 * time.Second

	defaultWait = 300 // seconds
)

type waitArgs struct {
	target.InNotebook
	Since   string   `json:"since" jsonschema:"The notebook's revision, from an earlier answer." validate:"min=1,max=40"`
	Filter  string   `json:"filter,omitempty" jsonschema:"source: texts, and cells added or deleted; outputs: runs and clears." validate:"oneof=any source outputs" default:"any"`
	Cell    string   `json:"cell,omitempty" jsonschema:"Only in the cell with this id." validate:"max=id"`
	Person  string   `json:"person,omitempty" jsonschema:"Only changes by the person with this name or name prefix. With cell \"theirs\": changes by anyone in that person's cell." validate:"max=200"`
	Timeout *float64 `json:"timeout,omitempty" jsonschema:"Seconds to wait, at most." validate:"max=3600" default:"300"`
}

// Check refuses a call without a revision.
func (a waitArgs) Check() error {
	if a.Since == "" {
		return errors.New("since is missing: give the notebook's revision from an earlier answer")
	}
	_, err := target.ParseRevisionOf(a.Since, readFrom)
	return err
}

const (
	filterSource  = "source"
	filterOutputs = "outputs"
)

// waitForChange makes wait_for_change.
func waitForChange(d *deps.Deps) tool.Tool {
	return tool.Tool{
		Name:        "wait_for_change",
		Title:       "Wait for a change",
		Description: "Waits until another person or agent has changed a notebook since a revision and paused for 1.5 s; then shows the changes. Use it to work in turns with a person.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true},
		Output:      tool.EitherOf(tool.DocumentResultOf[ChangesResult](nil), tool.DocumentResultOf[notebook.ReadResult](nil)),
		Call: deps.InNotebook(d, func(ctx context.Context, doc *session.Document, args waitArgs) (*tool.Answer, error) {
			since, _ := target.ParseRevisionOf(args.Since, readFrom) // checked before
			w := waiter{doc: doc, client: tool.ClientOf(ctx), args: args}
			if err := w.find(ctx); err != nil {
				return nil, err
			}
			began := time.Now()
			over := began.Add(d.Hold(ctx, false, waitFor(args.Timeout)))
			log := doc.History()
			var said string
			var saidAt time.Time
			for {
				next := log.Changed() // before looking
				told, known := log.Since(since)
				if !known || doc.History() != log {
					return unknown(ctx, d, doc, changesArgs{Revision: args.Since})
				}
				last, err := w.last(told)
				if err != nil {
					return nil, err
				}
				left := time.Until(over)
				switch {
				case !last.IsZero() && (time.Since(last) >= paused || left <= 0):
					return answer(ctx, d, doc, told, w.own, w.fits)
				case left <= 0:
					out := &ChangesResult{Path: doc.Path().String(), Changes: []ChangeView{}, Revision: args.Since, waited: max(1, time.Since(began).Seconds())}
					return &tool.Answer{Body: out, Doc: doc, Words: tool.Words(ctx, render{}.words(out))}, nil
				case !last.IsZero():
					left = min(left, paused-time.Since(last))
				}
				if err := w.pause(ctx, next, min(left, tellEvery)); err != nil {
					return nil, err
				}
				says := lo.Ternary(!last.IsZero(), "something has changed, waiting for a pause", "nothing has changed yet")
				if says != said || time.Since(saidAt) >= tellEvery {
					said, saidAt = says, time.Now()
					tool.Progress(ctx, time.Since(began).Seconds(), says)
				}
			}
		}),
	}
}

// waitFor returns how long a call with a timeout in seconds waits.
func waitFor(seconds *float64) time.Duration {
	return time.Duration(tool.ValueOr(seconds, defaultWait) * float64(time.Second))
}

// waiter waits for changes that match its arguments.
type waiter struct {
	doc    *session.Document
	client string
	args   waitArgs
	cell   string
}

// find sets the id of the awaited cell, if the call names one. For [target.Theirs], the argument person names its person.
func (w *waiter) find(ctx context.Context) error {
	if w.args.Cell == "" {
		return nil
	}
	if w.args.Cell == target.Theirs {
		ctx = target.WithPerson(ctx, w.args.Person)
		w.args.Person = ""
	}
	view := target.ViewNow(ctx, w.doc)
	at, err := view.Find(w.args.Cell, "cell")
	if err == nil {
		w.cell = view.Now[at].ID
	}
	return err
}

// pause returns when something has changed, or after a time.
func (w waiter) pause(ctx context.Context, next <-chan struct{}, most time.Duration) error {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-next:
	case <-timer.C:
	case <-ctx.Done():
		return fmt.Errorf("wait for a change: %w", ctx.Err())
	}
	return nil
}

func (w waiter) own(who changelog.Who) bool { return who.Is(w.client) }

func (w waiter) fits(c changelog.Change) bool {
	const outputs = changelog.Run | changelog.Cleared
	switch {
	case w.args.Filter == filterSource && c.Kinds&^(outputs|changelog.Moved) == 0,
		w.args.Filter == filterOutputs && c.Kinds&outputs == 0,
		w.cell != "" && c.Cell != w.cell:
		return false
	}
	return w.args.Person == "" || slices.ContainsFunc(c.Who.Clients, func(client uint64) bool {
		name, _, _ := w.doc.History().Named(client)
		return begins(name, w.args.Person)
	})
}

func begins(name, with string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(with))
}

// last returns when the last matching change was made, or zero. The argument person must not match several people.
func (w waiter) last(told *changelog.Delta) (last time.Time, err error) {
	var names []string
	add := func(name string) {
		if w.args.Person != "" && begins(name, w.args.Person) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, p := range w.doc.People() {
		add(p.Name)
	}
	for _, c := range told.Changes(told.Len(), w.own) {
		if !w.fits(c) {
			continue
		}
		for _, client := range c.Who.Clients {
			name, _, _ := w.doc.History().Named(client)
			add(name)
		}
		if c.Last.After(last) {
			last = c.Last
		}
	}
	if len(names) > 1 && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, w.args.Person) }) {
		return last, fmt.Errorf("person %s matches several: %s; give more of the name", textfmt.Quoted(w.args.Person), textfmt.QuotedList(names))
	}
	return last, nil
}
