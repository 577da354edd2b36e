package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/document/filesync"
	"github.com/nbduet/nbduet/ydoc"
)

// crowd is the group of programs that together edit one notebook after another.
type crowd struct {
	t      *testing.T
	s      *jupytertest.Server
	lines  []*line // of the first two agents
	agents []*agent
	peers  []*foreignPeer // with pycrdt and with yjs

	rng   *rand.Rand
	docs  []*session.Document // of the agents
	cells int                 // made so far
	seed  uint64
}

// brisk reconnects at once. A cut line is noticed without a timeout, while such a busy server may be silent for seconds.
var brisk = rtc.Timing{BackoffMin: 5 * time.Millisecond, BackoffMax: 500 * time.Millisecond}

func newCrowd(t *testing.T, s *jupytertest.Server, pycrdt, yjs *foreign, name string) *crowd {
	w := &crowd{t: t, s: s, peers: []*foreignPeer{{f: pycrdt, name: name}, {f: yjs, name: name}}}
	for range 2 {
		l := newLine(t, s)
		w.lines = append(w.lines, l)
		w.agents = append(w.agents, newAgentWith(t, l.url(), s.Token, brisk))
	}
	w.agents = append(w.agents, newAgentWith(t, s.URL, s.Token, brisk))
	return w
}

// play lets the crowd edit a new notebook.
func (w *crowd) play(ctx context.Context, seed uint64) error {
	w.seed, w.cells, w.docs, w.rng = seed, 0, nil, rand.New(rand.NewPCG(seed, 0))
	path := w.s.Notebook(w.t, "é = 1", "# 😀\nb = 2", "日本 = 3")
	for i, a := range w.agents {
		d, err := a.Open(ctx, jupyter.MustPath(path))
		if err != nil {
			return fmt.Errorf("agent %d: %w", i, err)
		}
		defer d.Release()
		w.docs = append(w.docs, d)
	}
	for i, p := range w.peers {
		if err := p.open(ctx, w.s, w.agents[2], w.docs[2]); err != nil {
			return fmt.Errorf("peer %d: %w", i, err)
		}
	}
	for i := range steps {
		if err := w.step(ctx); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if err := w.agree(ctx, path); err != nil {
		return err
	}
	return w.part(ctx, path)
}

// step makes one random step of a random member.
func (w *crowd) step(ctx context.Context) error {
	if w.rng.IntN(50) == 0 {
		if err := w.disconnect(ctx); err != nil {
			return err
		}
	}
	flush := w.rng.IntN(2) == 0
	who := w.rng.IntN(5)
	if who >= 3 {
		p := w.peers[who-3]
		c := w.command()
		c["flush"] = flush && !p.away
		_, err := p.do(ctx, c)
		return err
	}
	times := 1
	if who == 2 {
		times += w.rng.IntN(8)
	}
	for range times {
		if err := w.edit(who, w.docs[who]); err != nil {
			return fmt.Errorf("agent %d: %w", who, err)
		}
	}
	if !flush {
		return nil
	}
	return w.docs[who].Settled(ctx)
}

// disconnect cuts an agent's line, or lets a peer disconnect or return.
func (w *crowd) disconnect(ctx context.Context) error {
	i := w.rng.IntN(2)
	if w.rng.IntN(2) == 0 {
		w.lines[i].proxy.Stop()
		return w.lines[i].proxy.Start()
	}
	return w.peers[i].travel(ctx)
}

var words = []string{"a", "bc", " ", "\n", "é", "😀", "日本", "x = 1\n", "👩‍👩‍👧"}

func (w *crowd) word() string { return words[w.rng.IntN(len(words))] }

func (w *crowd) newID() string {
	w.cells++
	return fmt.Sprintf("s%d-%d", w.seed, w.cells)
}

// edit makes one random edit of an agent.
func (w *crowd) edit(who int, d *session.Document) error {
	at, what, from, n, word, id := w.rng.IntN(1000), w.rng.IntN(10), w.rng.IntN(1000), w.rng.IntN(4), w.word(), w.newID()
	return d.Notebook().Edit("random", func(e *ydoc.Editor) error {
		cell, ok := e.IDAt(at % max(e.Len(), 1))
		switch {
		case what < 2 || !ok:
			_, err := e.Insert(at%(e.Len()+1), ydoc.NewCell{ID: id, Type: "code", Source: word})
			return err
		case what == 2 && e.Len() > 2:
			return e.Delete(cell)
		case what == 3 && who == 0:
			// A cell moved by two agents at once would be duplicated.
			return e.Move(cell, from%e.Len())
		}
		c, _ := e.Cell(cell)
		old := []rune(c.Source)
		start := from % (len(old) + 1)
		end := min(start+n, len(old))
		return e.SetSource(cell, string(old[:start])+word+string(old[end:]))
	})
}

// command returns one random edit for a peer.
func (w *crowd) command() map[string]any {
	at := w.rng.IntN(1000)
	switch what := w.rng.IntN(10); {
	case what < 2:
		return map[string]any{"do": "insert", "at": at, "cell": w.newID(), "source": w.word()}
	case what == 2:
		return map[string]any{"do": "delete", "cell": at}
	}
	return map[string]any{"do": "text", "cell": at, "at": w.rng.IntN(1000), "del": w.rng.IntN(4), "ins": w.word()}
}

// agree lets all members synchronise and compares them. An exchange with the server after the last edit must be enough.
func (w *crowd) agree(ctx context.Context, path string) error {
	for i, p := range w.peers {
		if p.away {
			if err := p.travel(ctx); err != nil {
				return fmt.Errorf("peer %d: %w", i, err)
			}
		}
	}
	for range 2 { // first all edits reach the room; then all members have them
		for i, d := range w.docs {
			if err := d.Settled(ctx); err != nil {
				return fmt.Errorf("agent %d: %w", i, err)
			}
		}
		for i, p := range w.peers {
			if err := p.flush(ctx); err != nil {
				return fmt.Errorf("peer %d: %w", i, err)
			}
		}
	}
	return w.compare(ctx, path)
}

// compare compares all notebooks with a new member's, which is the server's content, and with the file.
func (w *crowd) compare(ctx context.Context, path string) error {
	nb := ydoc.NewNotebook()
	newcomer, err := rtc.Join(ctx, rtc.Config{
		Server: w.agents[2].Manager.Servers().Documents, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: nb.Doc,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		return fmt.Errorf("newcomer: %w", err)
	}
	defer func() {
		gone, cancel := context.WithCancel(ctx)
		cancel() // everything is saved
		_ = newcomer.Leave(gone)
	}()
	want, _ := cells(nb)
	var errs []error
	for i, d := range w.docs {
		got, _ := cells(d.Notebook())
		errs = append(errs, same(fmt.Sprintf("agent %d", i), got, want))
	}
	for i, p := range w.peers {
		got, err := p.read(ctx)
		errs = append(errs, err, same(fmt.Sprintf("peer %d", i), got, want))
	}
	if err := save(ctx, newcomer); err != nil {
		return errors.Join(append(errs, err)...)
	}
	// An agent may have requested a later save. While the server writes the file again, it is incomplete.
	file := filepath.Join(w.s.Root, path)
	var got []string
	errs = append(errs, poll.Until(ctx, "a whole file", func(context.Context) error {
		onDisk, err := nbfile.Read(file)
		got = nil
		for _, c := range onDisk {
			got = append(got, c.ID+" "+string(c.Source))
		}
		return err
	}), same("the file", got, want))
	return errors.Join(append(errs, poll.Until(ctx, "a valid file", func(ctx context.Context) error {
		return w.peers[0].f.validate(ctx, file)
	}))...)
}

// save repeats the request until the server reports a save: it drops a save, with its answer, when another one follows.
func save(ctx context.Context, r *rtc.Room) error {
	for {
		patience, stop := context.WithTimeout(ctx, 10*time.Second)
		status, err := r.Save(patience)
		stop()
		if err == nil && status == "success" {
			return nil
		}
		if ctx.Err() != nil || r.Err() != nil {
			return errors.Join(fmt.Errorf("save: %q", status), err)
		}
	}
}

// part lets all members leave.
func (w *crowd) part(ctx context.Context, path string) error {
	for i, p := range w.peers {
		if _, err := p.do(ctx, map[string]any{"do": "close"}); err != nil {
			return fmt.Errorf("peer %d: %w", i, err)
		}
	}
	for i, a := range w.agents {
		var unsaved *filesync.UnsavedError
		_, _, err := a.End(ctx, jupyter.MustPath(path))
		if err != nil && !errors.As(err, &unsaved) && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("agent %d: end: %w", i, err)
		}
	}
	return nil
}

func same(who string, got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s has\n%s\nthe server\n%s", who, quoted(got), quoted(want))
}

func quoted(v []string) []byte {
	b, _ := json.Marshal(v) // of strings, which cannot fail
	return b
}
