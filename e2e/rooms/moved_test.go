package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

// witness is a replica that notes each character that the room has passed on.
type witness struct {
	*ydoc.Notebook
	mu   sync.Mutex
	seen map[rune]bool
}

func newWitness() *witness { return &witness{Notebook: ydoc.NewNotebook(), seen: map[rune]bool{}} }

// Apply implements the room's document: the room calls it with each update from the server.
func (w *witness) Apply(update []byte) error {
	err := w.Notebook.Apply(update)
	_, sources := cells(w.Notebook)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range strings.Join(sources, "") {
		w.seen[r] = true
	}
	return err
}

// keys counts the results of typed keys.
type keys struct{ typed, dropped, lost, doubled int }

// Four programs type into the cells of a notebook, each key a different one, while an agent on a slow line moves those
// cells. The server drops a late key for a moved cell and does not pass it on. Every key that it has passed on is
// present exactly once.
func TestMovedCellsKeepTheirKeys(t *testing.T) {
	// A room that is dropped while it is saved stops all others, see TestRandomEdits.
	s := jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=5", "--SQLiteYStore.db_path=:memory:"))
	w := newCrowd(t, s, process(t, pycrdt), process(t, yjs), "moved")
	w.lines[0].fail(both("latency", map[string]any{"latency": 40, "jitter": 30}))
	first := number(t, "NBDUET_ROOM_SEED", uint64(time.Now().UnixNano())%1e9)
	count := max(number(t, "NBDUET_ROOM_SEEDS", 200)/20, 1)
	t.Logf("seeds %d to %d", first, first+count-1)
	var all keys
	for seed := first; seed < first+count; seed++ {
		ctx, end := context.WithTimeoutCause(t.Context(), playTime, errors.New("the notebook took too long"))
		k, err := w.typeAndMove(ctx, seed)
		end()
		all.typed, all.dropped, all.lost, all.doubled = all.typed+k.typed, all.dropped+k.dropped, all.lost+k.lost, all.doubled+k.doubled
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("of %d keys the server dropped %d; of the others %d are lost, %d doubled", all.typed, all.dropped, all.lost, all.doubled)
	test.LessEq(t, 0, all.lost)
	test.LessEq(t, 0, all.doubled)
}

// typeAndMove lets the crowd type into a new notebook while the first agent moves cells.
func (w *crowd) typeAndMove(ctx context.Context, seed uint64) (k keys, err error) {
	w.seed, w.cells, w.docs, w.rng = seed, 0, nil, rand.New(rand.NewPCG(seed, 1))
	path := w.s.Notebook(w.t, "1", "2", "3")
	for i, a := range w.agents {
		d, err := a.Open(ctx, jupyter.MustPath(path))
		if err != nil {
			return k, fmt.Errorf("agent %d: %w", i, err)
		}
		defer d.Release()
		w.docs = append(w.docs, d)
	}
	for i, p := range w.peers {
		if err := p.open(ctx, w.s, w.agents[2], w.docs[2]); err != nil {
			return k, fmt.Errorf("peer %d: %w", i, err)
		}
	}
	seen := newWitness()
	room, err := rtc.Join(ctx, rtc.Config{
		Server: w.agents[2].Manager.Servers().Documents, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: seen,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
	if err != nil {
		return k, fmt.Errorf("witness: %w", err)
	}
	defer func() {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		_ = room.Leave(gone) // it has written nothing
	}()
	for i := range 120 {
		key := '一' + rune(i)
		typed, err := w.press(ctx, key)
		if err != nil {
			return k, fmt.Errorf("step %d: %w", i, err)
		}
		if typed {
			k.typed++
		}
	}
	if err := w.agree(ctx, path); err != nil {
		return k, err
	}
	if err := room.Barrier(ctx); err != nil {
		return k, err
	}
	_, sources := cells(w.docs[2].Notebook())
	text := strings.Join(sources, "")
	seen.mu.Lock()
	for key := range seen.seen {
		if key < '一' {
			continue
		}
		switch strings.Count(text, string(key)) {
		case 0:
			k.lost++
		case 1:
		default:
			k.doubled++
		}
	}
	k.dropped = k.typed
	for key := range seen.seen {
		if key >= '一' {
			k.dropped--
		}
	}
	seen.mu.Unlock()
	return k, w.part(ctx, path)
}

// press lets one program type a key, or the first agent move a cell.
func (w *crowd) press(ctx context.Context, key rune) (typed bool, err error) {
	who, at, where := w.rng.IntN(5), w.rng.IntN(1000), w.rng.IntN(1000)
	time.Sleep(time.Duration(w.rng.IntN(10)) * time.Millisecond) // varies the latencies
	if who >= 3 {
		_, err := w.peers[who-3].do(ctx, map[string]any{
			"do": "text", "cell": at, "at": where, "del": 0, "ins": string(key), "flush": w.rng.IntN(2) == 0,
		})
		return true, err
	}
	return who > 0, w.docs[who].Notebook().Edit("random", func(e *ydoc.Editor) error {
		cell, _ := e.IDAt(at % e.Len())
		if who == 0 {
			return e.Move(cell, where%e.Len())
		}
		c, _ := e.Cell(cell)
		old := []rune(c.Source)
		at := where % (len(old) + 1)
		return e.SetSource(cell, string(old[:at])+string(key)+string(old[at:]))
	})
}
