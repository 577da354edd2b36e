package tools_test

import (
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/sessiontest"
	"github.com/nbduet/nbduet/ydoc"
)

// keys are the characters that people have typed, each once, and their cells.
type keys struct {
	mu sync.Mutex
	in map[rune]string
}

// next returns a new character.
func (k *keys) next(cell string) rune {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := rune(0x4e00 + len(k.in))
	k.in[r] = cell
	return r
}

func (k *keys) all() map[rune]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.in)
}

// typist is a person who types into changing places of a notebook, and adds cells.
type typist struct {
	*sessiontest.Person
	t      *testing.T
	rng    *rand.Rand
	keys   *keys
	shows  map[string]any // in awareness
	bursts [][]rune
}

func (y *typist) types(stop <-chan struct{}) {
	for {
		ids := y.Notebook.IDs()
		cell := ids[y.rng.IntN(len(ids))]
		if y.rng.IntN(12) == 0 {
			cell = y.adds()
		}
		if !y.clicks(cell) {
			continue
		}
		select {
		case <-stop:
			return
		case <-time.After(handTime() + time.Duration(y.rng.IntN(100))*time.Millisecond):
		}
		place := y.rng.IntN(3)
		var burst []rune
		for range 1 + y.rng.IntN(8) {
			if r := y.presses(cell, place, burst); r != 0 {
				burst = append(burst, r)
			}
			select {
			case <-stop:
				y.bursts = append(y.bursts, burst)
				return
			case <-time.After(time.Duration(y.rng.IntN(60)) * time.Millisecond):
			}
		}
		y.bursts = append(y.bursts, burst)
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(y.rng.IntN(250)) * time.Millisecond):
		}
	}
}

// handTime is the time that a hand takes from the mouse to the keys: 0.4 s in the keystroke-level model of Card, Moran and
// Newell. The fake's room passes everything on at once, so less is enough there.
func handTime() time.Duration {
	if jupytertest.Real() {
		return 400 * time.Millisecond
	}
	return 50 * time.Millisecond
}

// clicks puts the caret into a cell; it returns false if the cell is deleted.
func (y *typist) clicks(cell string) bool {
	at, err := y.Notebook.RelativePosition(cell, 0)
	if err != nil {
		return false
	}
	y.shows["cursors"] = sessiontest.Caret(at)
	y.Show(y.shows)
	if jupytertest.Real() { // a busy server may pass on a caret after the first keys; that is not tested here
		y.Reaches()
	}
	return true
}

// adds inserts a cell above others.
func (y *typist) adds() (id string) {
	if err := y.Notebook.Edit("insert", func(e *ydoc.Editor) error {
		ids, err := e.Insert(y.rng.IntN(e.Len()), ydoc.NewCell{Type: ydoc.Code})
		if err == nil {
			id = ids[0]
		}
		return err
	}); err != nil {
		y.t.Error(err)
	}
	return id
}

// presses types one character: behind the last one of the burst, or at the end of the cell, within it, or in a new line.
func (y *typist) presses(cell string, place int, burst []rune) (typed rune) {
	if err := y.Notebook.Edit("type", func(e *ydoc.Editor) error {
		c, ok := e.Cell(cell)
		if !ok {
			return nil
		}
		at, before := len(c.Source), ""
		if len(burst) > 0 {
			last := burst[len(burst)-1]
			if at = strings.IndexRune(c.Source, last); at < 0 {
				return nil
			}
			at += len(string(last))
		} else if place == 1 && c.Source != "" {
			at = len(string([]rune(c.Source)[:y.rng.IntN(len([]rune(c.Source)))]))
		} else if place == 2 {
			before = "\n"
		}
		typed = y.keys.next(cell)
		return e.SetSource(cell, c.Source[:at]+before+string(typed)+c.Source[at:])
	}); err != nil {
		y.t.Error(err)
	}
	return typed
}
