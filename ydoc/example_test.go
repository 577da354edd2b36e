package ydoc_test

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

// Two replicas of one notebook are edited at the same time. When they have exchanged their updates, both hold both
// edits.
func Example() {
	if err := editTogether(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// "# Counts\ndata = read(\"counts.csv\")"
	// "# Counts\ndata = read(\"counts.csv\")"
}

func editTogether() error {
	person, agent := ydoc.NewNotebook(), ydoc.NewNotebook()
	// exchange sends each replica the missing changes, as a room does.
	exchange := func() error {
		for _, way := range [][2]*ydoc.Notebook{{person, agent}, {agent, person}} {
			from, to := way[0], way[1]
			has, err := to.StateVector()
			if err != nil {
				return err
			}
			update, err := from.Diff(has)
			if err != nil {
				return err
			}
			if err := to.Apply(update); err != nil {
				return err
			}
		}
		return nil
	}

	err := person.Edit("insert cell", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: "load", Type: ydoc.Code, Source: "data = read()"})
		return err
	})
	if err != nil {
		return err
	}
	if err := exchange(); err != nil {
		return err
	}

	// The agent has read the cell. The person types a line before the agent writes.
	read, _ := agent.Cell("load")
	if err := person.Edit("type", func(e *ydoc.Editor) error { return e.SetSource("load", "# Counts\ndata = read()") }); err != nil {
		return err
	}
	if err := exchange(); err != nil {
		return err
	}
	err = agent.Edit("rewrite cell", func(e *ydoc.Editor) error {
		return e.Merge("load", read.Source, "data = read(\"counts.csv\")")
	})
	if err != nil {
		return err
	}
	if err := exchange(); err != nil {
		return err
	}
	for _, nb := range []*ydoc.Notebook{person, agent} {
		cell, _ := nb.Cell("load")
		fmt.Printf("%q\n", cell.Source)
	}
	return nil
}

// An edit that fails writes nothing, and a recorded one can be undone.
func ExampleNotebook_Record() {
	nb := ydoc.NewNotebook()
	insert := func(cell ydoc.NewCell) (*ydoc.Step, error) {
		return nb.Record("insert cell", func(e *ydoc.Editor) error {
			_, err := e.Insert(e.Len(), cell)
			return err
		})
	}
	_, err := insert(ydoc.NewCell{ID: "title", Type: ydoc.Markdown, Source: "# Counts"})
	fmt.Println(err)
	step, err := insert(ydoc.NewCell{ID: "sum", Type: ydoc.Code, Source: "sum(counts)"})
	fmt.Println(err)

	err = nb.Edit("move cell", func(e *ydoc.Editor) error {
		if err := e.Move("sum", 0); err != nil {
			return err
		}
		return e.SetSource("missing", "")
	})
	fmt.Println(nb.IDs(), errors.Is(err, ydoc.ErrNotFound))

	_, _, err = nb.Revert(step)
	fmt.Println(nb.IDs(), err)
	// Output:
	// <nil>
	// <nil>
	// [title sum] true
	// [title] <nil>
}
