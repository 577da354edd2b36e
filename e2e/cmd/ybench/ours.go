package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/ydoc"
)

// answer runs the process of nbduet's documents.
func answer(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	var g given
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		var commands [][]json.RawMessage
		if err := json.Unmarshal(line, &commands); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		var results []any
		for _, c := range commands {
			r, err := obey(&g, c)
			if err != nil {
				return err
			}
			results = append(results, r)
		}
		if err := json.NewEncoder(out).Encode(results); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

func obey(g *given, c []json.RawMessage) (any, error) {
	var name, what string
	if err := json.Unmarshal(c[0], &name); err != nil {
		return nil, fmt.Errorf("read a command: %w", err)
	}
	if name == "give" {
		err := json.Unmarshal(c[1], g)
		return nil, err
	}
	if err := json.Unmarshal(c[1], &what); err != nil {
		return nil, fmt.Errorf("read a command: %w", err)
	}
	runtime.GC()
	return perform(g, what)
}

func perform(g *given, name string) (result, error) {
	switch name {
	case "apply", "applyEdited", "applyRead", "applyReadEdited":
		state := g.Fresh
		if strings.HasSuffix(name, "Edited") {
			state = g.Edited
		}
		return timed(func() (int, error) {
			n, err := load(state)
			if err == nil && strings.HasPrefix(name, "applyRead") {
				return len(n.Cells()), nil
			}
			return n.Len(), err
		})
	case "encode":
		return encode(g.Fresh)
	case "encodeEdited":
		return encode(g.Edited)
	case "inserts", "insertsRead":
		return inserts(g.Positions, name == "insertsRead")
	case "stream", "streamRead":
		return stream(*g, name == "streamRead")
	case "streamRemote":
		return timed(func() (int, error) {
			n, err := load(g.Stream...)
			return n.Len(), err
		})
	case "outputs":
		return outputs(g.Appends)
	case "history":
		t := ydoc.NewText()
		return timed(func() (int, error) {
			err := write(t, g.History)
			return t.Len(), err
		})
	case "historyRemote":
		t := ydoc.NewText()
		return timed(func() (int, error) {
			err := apply(t.Doc, g.HistoryUpdates...)
			return t.Len(), err
		})
	case "memory":
		return memoryOf(100, g.Small)
	case "memoryEdited":
		return memoryOf(10, g.Edited)
	}
	return result{}, fmt.Errorf("there is no workload %q", name)
}

func timed(f func() (int, error)) (result, error) {
	start := time.Now()
	size, err := f()
	return result{MS: float64(time.Since(start)) / float64(time.Millisecond), Size: size}, err
}

func apply(d *ydoc.Doc, updates ...[]byte) error {
	for _, u := range updates {
		if err := d.Apply(u); err != nil {
			return err
		}
	}
	return nil
}

func load(updates ...[]byte) (*ydoc.Notebook, error) {
	n := ydoc.NewNotebook()
	return n, apply(n.Doc, updates...)
}

func encode(state []byte) (result, error) {
	n, err := load(state)
	if err != nil {
		return result{}, err
	}
	return timed(func() (int, error) {
		b, err := n.Diff(nil)
		return len(b), err
	})
}

func inserts(positions []int, read bool) (result, error) {
	t := ydoc.NewText()
	return timed(func() (int, error) {
		for _, at := range positions {
			if err := t.Edit("insert", func(e *ydoc.TextEditor) error { return e.Replace(at, 0, "x") }); err != nil {
				return 0, err
			}
			if read {
				_ = t.String()
			}
		}
		return t.Len(), nil
	})
}

func codeCell() (*ydoc.Notebook, error) {
	n := ydoc.NewNotebook()
	err := n.Edit("insert", func(e *ydoc.Editor) error {
		_, err := e.Insert(0, ydoc.NewCell{ID: "c", Type: ydoc.Code})
		return err
	})
	return n, err
}

func appendStream(n *ydoc.Notebook, g given, read bool) error {
	for range g.Appends {
		if err := n.Edit("append", func(e *ydoc.Editor) error { return e.AppendStream("c", "stdout", g.Line) }); err != nil {
			return err
		}
		if read {
			_, _ = n.Cell("c")
		}
	}
	return nil
}

func stream(g given, read bool) (result, error) {
	n, err := codeCell()
	if err != nil {
		return result{}, err
	}
	return timed(func() (int, error) {
		if err := appendStream(n, g, read); err != nil {
			return 0, err
		}
		c, _ := n.Cell("c")
		text, _ := c.Outputs[0]["text"].(string)
		return len(text), nil
	})
}

func outputs(count int) (result, error) {
	n, err := codeCell()
	if err != nil {
		return result{}, err
	}
	return timed(func() (int, error) {
		for range count {
			out := ydoc.Output{"output_type": "display_data", "data": map[string]any{"text/plain": "x"}, "metadata": map[string]any{}}
			if err := n.Edit("append", func(e *ydoc.Editor) error { return e.AppendOutput("c", out) }); err != nil {
				return 0, err
			}
		}
		c, _ := n.Cell("c")
		return len(c.Outputs), nil
	})
}

func write(t *ydoc.Text, changes []change) error {
	for _, c := range changes {
		at, del, ins := number(c[0]), number(c[1]), c[2].(string)
		if err := t.Edit("type", func(e *ydoc.TextEditor) error { return e.Replace(at, del, ins) }); err != nil {
			return err
		}
	}
	return nil
}

// number returns a number that was made here or decoded from JSON.
func number(v any) int {
	if f, ok := v.(float64); ok {
		return int(f)
	}
	return v.(int)
}

func memoryOf(count int, state []byte) (result, error) {
	before, rssBefore, err := memoryNow()
	if err != nil {
		return result{}, err
	}
	docs := make([]*ydoc.Notebook, count)
	for i := range docs {
		if docs[i], err = load(state); err != nil {
			return result{}, err
		}
	}
	after, rssAfter, err := memoryNow()
	runtime.KeepAlive(docs)
	return result{HeapMB: after - before, RSSMB: rssAfter - rssBefore, Size: len(docs)}, err
}

// memoryNow returns the live heap and the resident memory of the process, in megabytes.
func memoryNow() (heap, resident float64, err error) {
	debug.FreeOSMemory() // collects first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, fmt.Errorf("ask how much memory the process has: %w", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		return 0, 0, fmt.Errorf("ask how much memory the process has: %w", err)
	}
	return float64(m.HeapAlloc) / (1 << 20), kb / 1024, nil
}
