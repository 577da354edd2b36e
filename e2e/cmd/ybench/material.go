package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/nbduet/nbduet/ydoc"
)

// given is the common input of all processes. It is the same in each run.
type given struct {
	Fresh          []byte   `json:"fresh"`          // a notebook of 1,000 cells
	Edited         []byte   `json:"edited"`         // the same after 20,000 edits
	Small          []byte   `json:"small"`          // a notebook of 100 cells
	Positions      []int    `json:"positions"`      // of inserted single letters
	Appends        int      `json:"appends"`        // number of appended lines or outputs
	Line           string   `json:"line"`           // of a stream
	Stream         [][]byte `json:"stream"`         // the updates of a stream, its cell first
	History        []change `json:"history"`        // of a text, change by change
	HistoryUpdates [][]byte `json:"historyUpdates"` // the updates of these changes
}

// change is a position, a number of deleted characters, and the inserted text.
type change [3]any

const (
	bigCells   = 1_000
	smallCells = 100
	manyEdits  = 20_000
	appends    = 10_000
	keystrokes = 40_000
	logLine    = "epoch 12: loss 0.123, accuracy 0.98\n"
)

func material() (g given, err error) {
	g.Appends, g.Line = appends, logLine
	r := rand.New(rand.NewPCG(1, 2))
	for i := range appends {
		g.Positions = append(g.Positions, r.IntN(i+1))
	}
	small, err := notebook(smallCells)
	if err != nil {
		return g, err
	}
	if g.Small, err = small.Diff(nil); err != nil {
		return g, err
	}
	big, err := notebook(bigCells)
	if err != nil {
		return g, err
	}
	if g.Fresh, err = big.Diff(nil); err != nil {
		return g, err
	}
	if err := edit(r, big); err != nil {
		return g, err
	}
	if g.Edited, err = big.Diff(nil); err != nil {
		return g, err
	}
	if g.Stream, err = streamUpdates(g); err != nil {
		return g, err
	}
	g.History = writing(r)
	g.HistoryUpdates, err = historyUpdates(g.History)
	return g, err
}

// notebook returns a notebook of code cells of about 3.6 KB each, including outputs.
func notebook(cells int) (*ydoc.Notebook, error) {
	n := ydoc.NewNotebookWith(ydoc.Options{ClientID: 1001})
	err := n.Edit("fill", func(e *ydoc.Editor) error {
		for i := range cells {
			id := cellID(i)
			source := strings.Repeat(fmt.Sprintf("value_%d = compute(%d)\n", i, i), 20)
			if _, err := e.Insert(i, ydoc.NewCell{ID: id, Type: ydoc.Code, Source: source}); err != nil {
				return err
			}
			if err := e.AppendStream(id, "stdout", strings.Repeat("a line of output é\n", 80)); err != nil {
				return err
			}
			if err := e.AppendOutput(id, ydoc.Output{
				"output_type": "display_data",
				"data":        map[string]any{"text/plain": "<Figure>", "text/html": strings.Repeat("<td>1.25</td>", 120)},
			}); err != nil {
				return err
			}
			if err := e.FinishRun(id, &i); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func cellID(i int) string { return fmt.Sprintf("cell-%d", i) }

// edit types words into sources, replaces parts of them, and runs cells, a hundred edits in one transaction.
func edit(r *rand.Rand, n *ydoc.Notebook) error {
	for from := 0; from < manyEdits; from += 100 {
		err := n.Edit("edit", func(e *ydoc.Editor) error {
			for k := from; k < from+100; k++ {
				if err := editOne(r, e, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func editOne(r *rand.Rand, e *ydoc.Editor, k int) error {
	id := cellID(r.IntN(bigCells))
	if k%10 == 0 {
		if err := e.StartRun(id); err != nil {
			return err
		}
		if err := e.AppendStream(id, "stdout", strings.Repeat(logLine, 10)); err != nil {
			return err
		}
		return e.FinishRun(id, &k)
	}
	c, _ := e.Cell(id)
	at := r.IntN(len(c.Source) + 1)
	to := min(len(c.Source), at+r.IntN(6))
	return e.SetSource(id, c.Source[:at]+fmt.Sprintf("w%d ", k%100)+c.Source[to:])
}

func streamUpdates(g given) ([][]byte, error) {
	n, err := codeCell()
	if err != nil {
		return nil, err
	}
	first, err := n.Diff(nil)
	if err != nil {
		return nil, err
	}
	updates := [][]byte{first}
	n.OnUpdate(func(u []byte) { updates = append(updates, u) })
	return updates, appendStream(n, g, false)
}

func historyUpdates(changes []change) (updates [][]byte, err error) {
	t := ydoc.NewTextWith(ydoc.Options{ClientID: 1002})
	t.OnUpdate(func(u []byte) { updates = append(updates, u) })
	return updates, write(t, changes)
}

// writing imitates a person who writes a long text: words letter by letter, with slips that are deleted at once; now and
// then the caret moves, mostly not far, and a part is deleted or pasted.
func writing(r *rand.Rand) (changes []change) {
	length, caret := 0, 0
	do := func(at, del int, ins string) {
		changes = append(changes, change{at, del, ins})
		length += len(ins) - del
		caret = at + len(ins)
	}
	for len(changes) < keystrokes {
		switch k := r.IntN(100); {
		case k < 12 && length > 0:
			caret = min(max(caret+r.IntN(401)-200, 0), length)
		case k < 15 && length > 0:
			caret = r.IntN(length + 1)
		case k < 17 && length-caret > 80:
			do(caret, 20+r.IntN(60), "")
		case k < 19:
			do(caret, 0, strings.Repeat("pasted ", 4+r.IntN(12)))
		case k < 35:
			for range min(1+r.IntN(12), caret) {
				do(caret-1, 1, "")
			}
		default:
			for range 1 + r.IntN(40) {
				do(caret, 0, string(rune('a'+r.IntN(26))))
			}
		}
	}
	return changes[:keystrokes]
}
