package rooms_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/ydoc"
)

// steps is how many things happen to one random notebook.
const steps = 60

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Five programs edit one notebook at random, in the manner of yjs's own tests:
// two agents on lines that are cut now and then, two peers by pycrdt that leave
// and come back, and an agent that types in bursts. About half of the steps wait
// for the room, the others pile up. In the end all five, a newcomer and the file
// are the same.
func TestRandomEdits(t *testing.T) {
	s := jupytertest.Shared(t)
	w := &crowd{t: t, s: s}
	for range 2 {
		l := newLine(t, s)
		w.lines = append(w.lines, l)
		w.agents = append(w.agents, newAgent(t, l.url(), s.Token))
		w.peers = append(w.peers, startPeer(t))
	}
	w.agents = append(w.agents, newAgent(t, s.URL, s.Token))
	first := number(t, "NBDUET_ROOM_SEED", uint64(time.Now().UnixNano())%1e9)
	var files []string
	for seed := first; seed < first+number(t, "NBDUET_ROOM_SEEDS", 6); seed++ {
		files = append(files, w.play(seed))
		if t.Failed() {
			t.Fatalf("to see it again: NBDUET_ROOM_SEED=%d NBDUET_ROOM_SEEDS=1", seed)
		}
	}
	for _, f := range files {
		validate(t, f)
	}
}

// crowd is who edits.
type crowd struct {
	t      *testing.T
	s      *jupytertest.Server
	lines  []*line
	agents []*agent
	peers  []*pycrdtPeer

	rng   *rand.Rand
	docs  []*session.Document
	away  []bool // of the peers
	cells int    // made so far
	seed  uint64
}

// play lets the crowd edit a new notebook, and returns its file.
func (w *crowd) play(seed uint64) string {
	t := w.t
	t.Helper()
	w.seed, w.cells, w.rng = seed, 0, rand.New(rand.NewPCG(seed, 0))
	path := w.s.Notebook(t, "é = 1", "# 😀\nb = 2", "日本 = 3")
	w.docs, w.away = nil, make([]bool, len(w.peers))
	for _, a := range w.agents {
		d, err := a.Open(t.Context(), path)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		w.docs = append(w.docs, d)
	}
	for _, p := range w.peers {
		p.open(t, w.agents[2], w.s, path)
	}
	for range steps {
		w.step()
	}
	for i, p := range w.peers {
		if w.away[i] {
			p.do(t, map[string]any{"do": "back"})
		}
		p.do(t, map[string]any{"do": "flush"})
	}
	for i, d := range w.docs {
		w.settle(i, d)
	}
	file := filepath.Join(w.s.Root, path)
	w.compare(path, file)
	for _, p := range w.peers {
		p.do(t, map[string]any{"do": "close"})
	}
	for i, d := range w.docs {
		d.Release()
		if _, _, err := w.agents[i].End(t.Context(), path); err != nil {
			t.Errorf("seed %d: end: %v", seed, err)
		}
	}
	return file
}

func (w *crowd) settle(i int, d *session.Document) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), time.Minute)
	defer stop()
	if err := d.Settled(ctx); err != nil {
		w.t.Fatalf("seed %d: agent %d: %v", w.seed, i, err)
	}
}

// step lets somebody do something.
func (w *crowd) step() {
	w.t.Helper()
	if w.rng.IntN(50) == 0 {
		w.disconnect()
	}
	flush := w.rng.IntN(2) == 0
	switch who := w.rng.IntN(5); who {
	case 0, 1, 2:
		times := 1
		if who == 2 {
			times = 1 + w.rng.IntN(8)
		}
		for range times {
			w.edit(who, w.docs[who])
		}
		if flush {
			w.settle(who, w.docs[who])
		}
	default:
		p := w.peers[who-3]
		p.do(w.t, w.command())
		if flush && !w.away[who-3] {
			p.do(w.t, map[string]any{"do": "flush"})
		}
	}
}

// disconnect cuts an agent's line, or lets a peer go away or come back.
func (w *crowd) disconnect() {
	i := w.rng.IntN(2)
	if w.rng.IntN(2) == 0 {
		w.lines[i].proxy.Stop()
		if err := w.lines[i].proxy.Start(); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	do := "away"
	if w.away[i] {
		do = "back"
	}
	w.peers[i].do(w.t, map[string]any{"do": do})
	w.away[i] = !w.away[i]
}

var words = []string{"a", "bc", " ", "\n", "é", "😀", "日本", "x = 1\n", "👩‍👩‍👧"}

func (w *crowd) word() string { return words[w.rng.IntN(len(words))] }

func (w *crowd) newID() string {
	w.cells++
	return fmt.Sprintf("s%d-%d", w.seed, w.cells)
}

// edit makes one random edit of an agent's.
func (w *crowd) edit(who int, d *session.Document) {
	w.t.Helper()
	at, what, from, n, word, id := w.rng.IntN(1000), w.rng.IntN(10), w.rng.IntN(1000), w.rng.IntN(4), w.word(), w.newID()
	err := d.Notebook().Edit("random", func(e *ydoc.Editor) error {
		cell, ok := e.IDAt(at % max(e.Len(), 1))
		switch {
		case what < 2 || !ok:
			_, err := e.Insert(at%(e.Len()+1), ydoc.NewCell{ID: id, Type: "code", Source: word})
			return err
		case what == 2 && e.Len() > 2:
			return e.Delete(cell)
		case what == 3 && who == 0:
			// A cell moved by two at once would be there twice.
			return e.Move(cell, from%e.Len())
		}
		c, _ := e.Cell(cell)
		old := []rune(c.Source)
		start := from % (len(old) + 1)
		end := min(start+n, len(old))
		return e.SetSource(cell, string(old[:start])+word+string(old[end:]))
	})
	if err != nil {
		w.t.Fatalf("seed %d: agent %d: %v", w.seed, who, err)
	}
}

// command is one random edit for a peer.
func (w *crowd) command() map[string]any {
	at := w.rng.IntN(1000)
	switch what := w.rng.IntN(10); {
	case what < 2:
		return map[string]any{"do": "insert", "at": at, "id": w.newID(), "source": w.word()}
	case what == 2:
		return map[string]any{"do": "delete", "cell": at}
	}
	return map[string]any{"do": "text", "cell": at, "at": w.rng.IntN(1000), "del": w.rng.IntN(4), "ins": w.word()}
}

// compare waits until all are the same.
func (w *crowd) compare(path, file string) {
	t := w.t
	t.Helper()
	// What the peers did last was not asked to be saved.
	if err := w.docs[2].Edit(t.Context(), "last", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{Type: "code", Source: "the last"})
		return err
	}); err != nil {
		t.Fatalf("seed %d: %v", w.seed, err)
	}
	newcomer := newAgent(t, w.s.URL, w.s.Token)
	d, err := newcomer.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("seed %d: %v", w.seed, err)
	}
	err = poll.Until(t.Context(), "all to have the same notebook", func(context.Context) error {
		want, _ := cells(d.Notebook())
		same := func(who string, got []string) error {
			if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
				return fmt.Errorf("%s has\n%q\nthe server\n%q", who, got, want)
			}
			return nil
		}
		for i, d := range w.docs {
			got, _ := cells(d.Notebook())
			if err := same(fmt.Sprintf("agent %d", i), got); err != nil {
				return err
			}
		}
		for i, p := range w.peers {
			p.do(t, map[string]any{"do": "flush"})
			if err := same(fmt.Sprintf("peer %d", i), p.read(t)); err != nil {
				return err
			}
		}
		onDisk, err := nbfile.Read(file)
		if err != nil {
			return err
		}
		var got []string
		for _, c := range onDisk {
			got = append(got, c.ID+" "+string(c.Source))
		}
		return same("the file", got)
	})
	if err != nil {
		t.Errorf("seed %d: %v", w.seed, err)
	}
	d.Release()
	if _, _, err := newcomer.End(t.Context(), path); err != nil {
		t.Errorf("seed %d: end: %v", w.seed, err)
	}
}
