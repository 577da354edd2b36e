package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

const (
	// steps is the number of steps in one random notebook.
	steps = 40
	// atOnce is how many random notebooks are edited at the same time; in sequence, most of the time would be spent
	// waiting for answers.
	atOnce = 6
	// playTime limits one notebook; a single one takes a second or two.
	playTime = 2 * time.Minute
)

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

// Five programs edit one notebook at random, in the manner of yjs's own tests: two agents on lines that are cut now and
// then, a pycrdt peer and a yjs peer that leave and return, and an agent that types in bursts. About half of the steps
// wait for the room, the others pile up. At the end all five, a new member and the file are the same, and the file is
// valid. There are 200 notebooks.
func TestRandomEdits(t *testing.T) {
	// A server checks the file of each of its rooms every second, and keeps rooms for a minute after the last member has
	// left. It writes each edit to a database, where the rooms wait for each other and for the disk. It is
	// single-threaded, so there are two. A server that drops a room while it saves it, a second after the last edit,
	// stops sending updates in every room.
	var servers [2]*jupytertest.Server
	for i := range servers {
		servers[i] = jupytertest.Start(t, jupytertest.WithFlags("--YDocExtension.document_cleanup_delay=5", "--SQLiteYStore.db_path=:memory:"))
	}
	byPycrdt, byYjs := process(t, pycrdt), process(t, yjs)
	first := number(t, "NBDUET_ROOM_SEED", uint64(time.Now().UnixNano())%1e9)
	count := number(t, "NBDUET_ROOM_SEEDS", 200)
	t.Logf("seeds %d to %d", first, first+count-1)

	seeds := make(chan uint64)
	stop := make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	for i := range min(atOnce, count) {
		w := newCrowd(t, servers[i%uint64(len(servers))], byPycrdt, byYjs, fmt.Sprint(i))
		wg.Go(func() {
			for seed := range seeds {
				ctx, end := context.WithTimeoutCause(t.Context(), playTime, errors.New("the notebook took too long"))
				err := w.play(ctx, seed)
				end()
				if err != nil {
					t.Errorf("seed %d: %v\nto see it again: NBDUET_ROOM_SEED=%[1]d NBDUET_ROOM_SEEDS=1", seed, err)
					once.Do(func() { close(stop) })
					return
				}
			}
		})
	}
	defer wg.Wait()
	defer close(seeds)
	for seed := first; seed < first+count; seed++ {
		select {
		case seeds <- seed:
		case <-stop:
			return
		}
	}
}
