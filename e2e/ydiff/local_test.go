package ydiff

import (
	"fmt"

	"github.com/nbduet/nbduet/ydoc"
)

var cellTypes = []string{ydoc.Code, ydoc.Markdown, ydoc.Raw}

// do stages one operation. An operation without a matching cell is skipped.
func (l *local) do(e *ydoc.Editor, o op) error {
	switch o.Op {
	case "init":
		return nil
	case "insert":
		metadata, ok := ours(o.V).(map[string]any)
		if !ok {
			return fmt.Errorf("metadata %v", o.V)
		}
		_, err := e.Insert(o.N[0]%(e.Len()+1), ydoc.NewCell{ID: o.ID, Type: cellTypes[o.N[1]%3], Source: o.S, Metadata: metadata})
		return err
	case "nbmeta":
		return e.SetMetadata(o.S, ours(o.V))
	}
	if e.Len() == 0 {
		return nil
	}
	c, ok := e.CellAt(o.N[0] % e.Len())
	if id, known := e.IDAt(o.N[0] % e.Len()); !ok || !known || id == "" {
		return nil
	}
	if i, ok := e.Index(c.ID); !ok || i != o.N[0]%e.Len() {
		return nil // another cell has the same id
	}
	if structural(o.Op) {
		return l.arrange(e, c, o)
	}
	if c.Fault != "" {
		return nil
	}
	if c.Type == ydoc.Code {
		return l.run(e, c, o)
	}
	return l.write(e, c, o)
}

func structural(name string) bool {
	switch name {
	case "delete", "move", "type", "split", "merge":
		return true
	}
	return false
}

// arrange does the operations that change the list of cells.
func (l *local) arrange(e *ydoc.Editor, c ydoc.Cell, o op) error {
	switch {
	case o.Op == "delete" && e.Len() > 1:
		return e.Delete(c.ID)
	case o.Op == "move":
		return e.Move(c.ID, o.N[1]%e.Len())
	case c.Fault != "":
		return nil
	case o.Op == "type":
		return e.SetType(c.ID, cellTypes[o.N[1]%3])
	case o.Op == "split":
		at, _ := splitPoints(c.Source, o.N[1], 0)
		i, _ := e.Index(c.ID)
		if _, err := e.Insert(i+1, ydoc.NewCell{Type: c.Type, Source: c.Source[at:], Metadata: c.Metadata}); err != nil {
			return err
		}
		return e.SetSource(c.ID, c.Source[:at])
	case o.Op == "merge":
		other, ok := e.IDAt(o.N[1] % e.Len())
		if !ok || other == c.ID || other == "" {
			return nil
		}
		o, _ := e.Cell(other)
		if err := e.SetSource(c.ID, c.Source+"\n\n"+o.Source); err != nil {
			return err
		}
		return e.Delete(other)
	}
	return nil
}

// write does the operations on a cell of any type.
func (l *local) write(e *ydoc.Editor, c ydoc.Cell, o op) error {
	switch o.Op {
	case "source":
		from, to := splitPoints(c.Source, o.N[1], o.N[2])
		return e.SetSource(c.ID, c.Source[:from]+o.S+c.Source[to:])
	case "rewrite":
		return e.SetSource(c.ID, o.S)
	case "carry":
		return l.carry(e, c, o)
	case "meta":
		return e.SetCellMetadata(c.ID, o.S, ours(o.V))
	case "unmeta":
		return e.DeleteCellMetadata(c.ID, o.S)
	case "attach":
		m, _ := ours(o.V).(map[string]any)
		return e.SetAttachments(c.ID, m)
	}
	return nil
}

// carry reads a cell, or changes the previously read source, three-way.
func (l *local) carry(e *ydoc.Editor, c ydoc.Cell, o op) error {
	base := l.seen
	if base.ID == "" {
		l.seen = c
		return nil
	}
	l.seen = ydoc.Cell{}
	if _, ok := e.Index(base.ID); !ok {
		return nil
	}
	from, to := splitPoints(base.Source, o.N[1], o.N[2])
	return e.Merge(base.ID, base.Source, base.Source[:from]+o.S+base.Source[to:])
}

// run does the operations on a code cell.
func (l *local) run(e *ydoc.Editor, c ydoc.Cell, o op) error {
	stream := []string{"stdout", "stderr"}[o.N[1]%2]
	switch o.Op {
	case "start":
		return e.StartRun(c.ID)
	case "finish":
		return e.FinishRun(c.ID, &o.N[1])
	case "stream":
		return e.AppendStream(c.ID, stream, o.S)
	case "tail":
		return e.ReplaceStreamTail(c.ID, stream, o.N[2]%8, o.S)
	case "output":
		m, _ := ours(o.V).(map[string]any)
		return e.AppendOutput(c.ID, m)
	case "outputs":
		var outs []ydoc.Output
		for _, v := range o.V.([]any) {
			m, _ := ours(v).(map[string]any)
			outs = append(outs, m)
		}
		return e.SetOutputs(c.ID, outs)
	case "clear":
		return e.ClearOutputs(c.ID)
	}
	return l.write(e, c, o)
}

// splitPoints returns the byte offsets of the code point with index n1, modulo their number including the end, and of a
// code point up to 8 further on.
func splitPoints(s string, n1, n2 int) (from, to int) {
	offsets := make([]int, 0, len(s)+1)
	for i := range s {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(s))
	i := n1 % len(offsets)
	j := i + n2%(min(len(offsets)-1-i, 8)+1)
	return offsets[i], offsets[j]
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
