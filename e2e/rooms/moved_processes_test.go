package rooms_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
)

const (
	// typingTime is how long two people type in one program.
	typingTime = 6 * time.Second
	// killRisk is how long after a move a killed process may lose keys in the moved cell: no other process can carry
	// them over.
	killRisk = 100 * time.Millisecond
)

// Two people type, without a visible caret, while one or two processes of the program move and edit the same cells as
// fast as they can, end in every way in the middle of that, and start again. Each key that the server has passed on is
// present once at the end, and so is each confirmed edit, unless a process was killed right after a move.
// NBDUET_ROOM_FRAMES is a folder for all messages of the server in a failed program.
//
// No room is deleted in the meantime: a server that deletes a room while it saves it stops sending updates in every room
// (AttributeError in pycrdt's YRoom._broadcast_updates, which ends the common task group).
func TestMovedByProcesses(t *testing.T) {
	s := jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=3600", "--SQLiteYStore.db_path=:memory:"))
	if _, err := nbduet(); err != nil {
		t.Fatal(err)
	}
	first := number(t, "NBDUET_ROOM_SEED", uint64(time.Now().UnixNano())%1e9)
	count := max(number(t, "NBDUET_ROOM_SEEDS", 200)/66, 1)
	t.Logf("seeds %d to %d", first, first+count-1)
	x := &scene{
		t: t, s: s, reader: newAgentWith(t, s.URL, s.Token, brisk),
		people: []*foreignPeer{{f: process(t, pycrdt), name: "types"}, {f: process(t, yjs), name: "types"}},
	}
	var all fates
	for seed := first; seed < first+count; seed++ {
		ctx, end := context.WithTimeoutCause(t.Context(), playTime, errors.New("the program took too long"))
		o, err := x.play(ctx, seed)
		end()
		all.add(o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		t.Logf("seed %d: %v", seed, o)
	}
	t.Logf("all: %v", all)
	if n := all.lost + all.doubled + all.wrong + all.cells; n > 0 {
		t.Errorf("%d keys are lost that the server had passed on, %d are there twice, %d confirmed edits are wrong, %d cells are not there once",
			all.lost, all.doubled, all.wrong, all.cells)
	}
}

// fates counts the results of keys and edits.
type fates struct {
	processes, moves int
	// keys and edits are totals; dropped are the keys that the server passed on to no client, killed the keys and edits
	// that were lost with a process right after a move.
	keys, edits, dropped, killed int
	lost, doubled, wrong, cells  int
}

func (o *fates) add(p fates) {
	o.processes, o.moves = o.processes+p.processes, o.moves+p.moves
	o.keys, o.edits, o.dropped, o.killed = o.keys+p.keys, o.edits+p.edits, o.dropped+p.dropped, o.killed+p.killed
	o.lost, o.doubled, o.wrong, o.cells = o.lost+p.lost, o.doubled+p.doubled, o.wrong+p.wrong, o.cells+p.cells
}

func (o fates) String() string {
	return fmt.Sprintf("%d moves by %d processes; of %d keys %d dropped by the server, %d lost, %d doubled; of %d confirmed edits %d wrong; %d of both with a killed process; %d cells not there once",
		o.moves, o.processes, o.keys, o.dropped, o.lost, o.doubled, o.edits, o.wrong, o.killed, o.cells)
}

// scene is the setting in which programs are played one after the other.
type scene struct {
	t      *testing.T
	s      *jupytertest.Server
	reader *agent
	people []*foreignPeer
}

// play plays one program and returns its results.
func (x *scene) play(ctx context.Context, seed uint64) (o fates, err error) {
	rng := rand.New(rand.NewPCG(seed, 3))
	n := 1 + rng.IntN(2)
	sources := make([]string, 2+rng.IntN(4))
	p := &act{scene: x, cells: len(sources), book: newBook(), begun: time.Now()}
	var movers []*mover
	for i := range n {
		movers = append(movers, &mover{act: p, n: i, next: ours + rune(i)*oursEach, has: map[string][]rune{}, rng: rand.New(rand.NewPCG(seed, uint64(10+i)))})
	}
	for i := range sources {
		sources[i] = fmt.Sprintf("x%d = %d", i, i)
		for _, m := range movers {
			mark := m.mark()
			m.has[fmt.Sprint("c", i)] = []rune{mark}
			p.book.confirm(mark, true, fmt.Sprint("c", i))
			sources[i] += " " + string(mark)
		}
	}
	p.path = x.s.Notebook(x.t, sources...)
	seen, leave, err := x.join(ctx, p)
	if err != nil {
		return o, fmt.Errorf("witness: %w", err)
	}
	defer leave()
	d, err := x.reader.Open(ctx, jupyter.MustPath(p.path))
	if err != nil {
		return o, err
	}
	for i, person := range x.people {
		if err := person.open(ctx, x.s, x.reader, d); err != nil {
			return o, fmt.Errorf("person %d: %w", i, err)
		}
	}
	d.Release()
	if _, _, err := x.reader.End(ctx, jupyter.MustPath(p.path)); err != nil { // its replica moves nothing
		return o, err
	}
	errs := make([]error, len(x.people)+n)
	var typing, moving sync.WaitGroup
	until, typed := time.Now().Add(typingTime), make(chan struct{})
	for i, person := range x.people {
		rng := rand.New(rand.NewPCG(seed, uint64(20+i)))
		typing.Go(func() { errs[i] = p.typeUntil(ctx, person, typed, rng) })
	}
	for i, m := range movers {
		moving.Go(func() { errs[len(x.people)+i] = m.work(ctx, until) })
	}
	moving.Wait()
	close(typed)
	typing.Wait()
	if err := errors.Join(errs...); err != nil {
		return o, err
	}
	o.processes, o.moves = p.book.processes, p.book.moves
	for range 2 {
		for i, person := range x.people {
			if err := person.flush(ctx); err != nil {
				return o, fmt.Errorf("person %d: %w", i, err)
			}
		}
		if err := seen.room.Barrier(ctx); err != nil {
			return o, fmt.Errorf("witness: %w", err)
		}
	}
	err = x.judge(ctx, p, seen, &o)
	for i, person := range x.people {
		if _, gone := person.do(ctx, map[string]any{"do": "close"}); gone != nil {
			err = errors.Join(err, fmt.Errorf("person %d: %w", i, gone))
		}
	}
	if o.lost+o.doubled+o.wrong+o.cells > 0 {
		err = errors.Join(err, seen.write(fmt.Sprint(seed), p.book))
	}
	return o, err
}

// join lets a recording replica join the room.
func (x *scene) join(ctx context.Context, p *act) (w *frames, leave func(), err error) {
	w = &frames{Notebook: ydoc.NewNotebook(), begun: p.begun, first: map[rune]sighting{}}
	w.room, err = x.enter(ctx, p.path, w)
	return w, func() {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if w.room != nil {
			_ = w.room.Leave(gone) // it has written nothing
		}
	}, err
}

func (x *scene) enter(ctx context.Context, path string, replica rtc.Replica) (*rtc.Room, error) {
	return rtc.Join(ctx, rtc.Config{
		Server: x.reader.Manager.Servers().Documents, Path: jupyter.MustPath(path), Format: "json", Type: "notebook", Replica: replica,
		IsPending: func(err error) bool { return errors.Is(err, ydoc.ErrPending) },
	})
}

// judge compares the room's final content with the typed and the confirmed characters.
func (x *scene) judge(ctx context.Context, p *act, seen *frames, o *fates) error {
	nb := ydoc.NewNotebook()
	room, err := x.enter(ctx, p.path, nb)
	if err != nil {
		return fmt.Errorf("fresh reader: %w", err)
	}
	defer func() {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		_ = room.Leave(gone) // it has written nothing
	}()
	ids := map[string]int{}
	var text strings.Builder
	for _, c := range nb.Cells() {
		ids[c.ID]++
		text.WriteString(c.Source)
	}
	p.book.mu.Lock()
	defer p.book.mu.Unlock()
	for i := range p.cells {
		if n := ids[fmt.Sprint("c", i)]; n != 1 {
			o.cells++
			x.t.Logf("cell c%d is there %d times", i, n)
		}
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for key, pressed := range p.book.pressed {
		o.keys++
		at, passed := seen.first[key]
		n := strings.Count(text.String(), string(key))
		if want, judged := p.book.expect[key]; judged && !want || p.book.unsure[key] {
			continue // an agent has deleted it
		}
		risk := p.book.risky(at.cell, pressed, n > 1, false)
		switch {
		case n == 1:
		case n == 0 && !passed:
			o.dropped++
		case risk:
			o.killed++
		case n == 0:
			o.lost++
			x.t.Logf("key %c, pressed at %v and seen at %v in %s, is lost", key, pressed, at.at, at.cell)
		default:
			o.doubled++
			x.t.Logf("key %c, pressed at %v and seen at %v in %s, is there %d times", key, pressed, at.at, at.cell, n)
		}
	}
	o.edits = p.book.edits
	for mark, there := range p.book.expect {
		n := strings.Count(text.String(), string(mark))
		switch at := p.book.since[mark]; {
		case n == 0 && !there, n == 1 && there, n < 2 && p.book.unsure[mark]:
		case p.book.risky(cmp.Or(at.cell, seen.first[mark].cell), at.at, n > 1, n == 1 && !there):
			o.killed++
		default:
			o.wrong++
			x.t.Logf("%c (%U) of %s is there %d times, confirmed at %v: it is there: %v; first seen at %v", mark, mark, at.cell, n, at.at, there, seen.first[mark].at)
		}
	}
	return nil
}

// act is one program.
type act struct {
	*scene
	path  string
	cells int
	book  *book
	begun time.Time
}

func (p *act) now() time.Duration { return time.Since(p.begun).Round(time.Millisecond) }

// pick returns a cell: half of the time the cell that all clients use at that moment.
func (p *act) pick(rng *rand.Rand) int {
	if rng.IntN(2) == 0 {
		return int(p.now()/(250*time.Millisecond)) % p.cells
	}
	return rng.IntN(p.cells)
}

// typeUntil types one key after the other.
func (p *act) typeUntil(ctx context.Context, person *foreignPeer, end <-chan struct{}, rng *rand.Rand) error {
	for {
		select {
		case <-end:
			return nil
		case <-time.After(45*time.Millisecond + rand.N(65*time.Millisecond)):
		}
		cell, at := p.pick(rng), rng.IntN(1000)
		all, err := person.read(ctx)
		if err != nil {
			return err
		}
		cell = max(slices.IndexFunc(all, func(c string) bool { return strings.HasPrefix(c, fmt.Sprintf("c%d ", cell)) }), 0)
		key := p.book.press(p.now())
		if _, err := person.do(ctx, map[string]any{"do": "text", "cell": cell, "at": at, "del": 0, "ins": string(key)}); err != nil {
			return err
		}
	}
}

// risky reports whether a process was killed right after a move of a cell, about when a character came into it; or at a
// later time if the character is there twice; or at any time if it was deleted and is back. Another process moved the
// cell at the same time, and the killed one can no longer remove its copy, so the characters of that moment are in two
// cells. The caller holds mu.
func (b *book) risky(cell string, at time.Duration, twice, back bool) bool {
	const about = time.Second
	return slices.ContainsFunc(b.risks, func(r sighting) bool {
		return r.cell == cell && (back || at-r.at < about && twice || (r.at-at).Abs() < about)
	})
}
