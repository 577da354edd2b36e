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
	// steps is how many things happen to one random notebook.
	steps = 40
	// atOnce is how many random notebooks are edited at the same time: one
	// after the other most of the time would go by with waiting for answers.
	atOnce = 6
	// playTime bounds one notebook; alone they take a second or two.
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

// Five programs edit one notebook at random, in the manner of yjs's own tests:
// two agents on lines that are cut now and then, a peer by pycrdt and one by yjs
// that leave and come back, and an agent that types in bursts. About half of the
// steps wait for the room, the others pile up. In the end all five, a newcomer
// and the file are the same, and the file is valid. There are 200 notebooks.
func TestRandomEdits(t *testing.T) {
	// A server looks each second at the file of every room that it has, and
	// keeps rooms for a minute after the last one has left. It writes each edit
	// to a database, where the rooms wait for each other and for the disk.
	// It does one thing at a time: there are two. One that lets a room go while it
	// saves it, a second after the last edit, passes nothing on any more, in any.
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
