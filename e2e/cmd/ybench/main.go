// Command ybench times nbduet's shared documents, yjs in Node and pycrdt side by side and prints a table.
//
// Each library runs in its own process, nbduet's too. A process gets one request for a workload and takes the time
// itself. Rounds alternate between the three, after one that does not count, and the table has medians. Memory is
// measured in fresh processes.
//
// The aim is to be at or ahead of yjs in every line, with at most 1.2 times its memory. pycrdt, which is Rust, is ahead
// of nbduet in some:
//
//   - Applying and encoding a whole state takes two to four times as long. nbduet checks each update completely before it
//     decodes it, and makes an item, its content and its neighbours' ids one by one, as the library requires. Our own
//     store that holds items in blocks would help.
//   - Keystrokes take one to four times as long, mostly in the library: each transaction makes some ten maps and sets,
//     which one keystroke does not need. A separate path for updates of one item would help.
//   - Documents after many edits keep up to half more resident memory, because each item carries the ids of both its
//     neighbours and its parent as pointers. Our own store would help here too.
//
// Where cells are read as well, as in real use, nbduet is ahead: pycrdt converts each value anew on each read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/lab"
)

func main() {
	rounds := flag.Int("rounds", 5, "how many rounds count")
	only := flag.String("only", "", "run only the workloads whose name contains this")
	serve := flag.Bool("serve", false, "be the process that times our documents")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *serve {
		err = answer(os.Stdin, os.Stdout)
	} else {
		err = bench(ctx, max(*rounds, 1), *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ybench:", err)
		os.Exit(1)
	}
}

// workload is one line of the table. Its name is the name of the requests.
type workload struct{ name, title string }

var workloads = []workload{
	{"apply", "1,000 cells: apply"},
	{"applyRead", "1,000 cells: apply, read all"},
	{"encode", "1,000 cells: encode"},
	{"applyEdited", "1,000 cells, 20,000 edits: apply"},
	{"applyReadEdited", "1,000 cells, 20,000 edits: apply, read all"},
	{"encodeEdited", "1,000 cells, 20,000 edits: encode"},
	{"inserts", "10,000 inserts at random"},
	{"insertsRead", "10,000 inserts at random, each read"},
	{"stream", "10,000 stream appends"},
	{"streamRead", "10,000 stream appends, each read"},
	{"streamRemote", "10,000 stream appends of another"},
	{"outputs", "10,000 outputs"},
	{"history", "40,000 keystrokes of one writer"},
	{"historyRemote", "40,000 keystrokes of another"},
}

// memories are the workloads that measure the memory of documents.
var memories = []workload{
	{"memory", "100 documents of 100 cells"},
	{"memoryEdited", "10 documents of 1,000 cells, 20,000 edits"},
}

// result is a process's answer.
type result struct {
	MS     float64 `json:"ms"`
	Size   int     `json:"size"` // result of the work; all libraries agree except in encoding
	HeapMB float64 `json:"heapMB"`
	RSSMB  float64 `json:"rssMB"`
}

// library describes how to start a library's process.
type library struct {
	name    string
	command []string
}

func libraries() ([]library, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return nil, err
	}
	python, err := child.Python(root)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []library{
		{"ours", []string{self, "-serve"}},
		{"yjs", []string{"node", "--expose-gc", filepath.Join(root, "e2e", "node", "yjs_bench.mjs")}},
		{"pycrdt", []string{python, "-B", filepath.Join(root, "e2e", "python", "pycrdt_bench.py")}},
	}, nil
}

func (l library) start(ctx context.Context, g given) (*child.Process, error) {
	p, err := child.Start(ctx, l.command[0], l.command[1:]...)
	if err != nil {
		return nil, err
	}
	if _, err := p.Call(child.Command{"give", g}); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func bench(ctx context.Context, rounds int, only string) error {
	libs, err := libraries()
	if err != nil {
		return err
	}
	g, err := material()
	if err != nil {
		return err
	}
	var procs []*child.Process
	defer func() {
		for _, p := range procs {
			_ = p.Stop() // its answer is not needed
		}
	}()
	for _, l := range libs {
		p, err := l.start(ctx, g)
		if err != nil {
			return err
		}
		procs = append(procs, p)
	}
	fmt.Printf("%-58s%10s%10s%10s%13s%13s\n", fmt.Sprintf("medians, rounds: %d", rounds), "ours", "yjs", "pycrdt", "ours/yjs", "ours/pycrdt")
	for _, w := range workloads {
		if !strings.Contains(w.name, only) {
			continue
		}
		ms, err := measure(procs, w, rounds)
		if err != nil {
			return err
		}
		line(w.title+", ms", ms)
	}
	for _, w := range memories {
		if !strings.Contains(w.name, only) {
			continue
		}
		if err := memory(ctx, libs, g, w, rounds); err != nil {
			return err
		}
	}
	return nil
}

// measure runs one workload in all processes by turns and returns each process's median.
func measure(procs []*child.Process, w workload, rounds int) ([]float64, error) {
	times := make([][]float64, len(procs))
	for round := range rounds + 1 {
		var first int
		for i, p := range procs {
			var r result
			if err := p.One(&r, "run", w.name); err != nil {
				return nil, err
			}
			if i == 0 {
				first = r.Size
			} else if r.Size != first && !strings.HasPrefix(w.name, "encode") {
				return nil, fmt.Errorf("%s: the results have the sizes %d and %d", w.title, first, r.Size)
			}
			if round > 0 {
				times[i] = append(times[i], r.MS)
			}
		}
	}
	medians := make([]float64, len(procs))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

// memory measures the memory of documents in fresh processes.
func memory(ctx context.Context, libs []library, g given, w workload, rounds int) error {
	resident, heap := make([]float64, len(libs)), make([]float64, len(libs))
	for i, l := range libs {
		var rss, live []float64
		for range rounds {
			p, err := l.start(ctx, g)
			if err != nil {
				return err
			}
			var r result
			if err := errors.Join(p.One(&r, "run", w.name), p.Stop()); err != nil {
				return err
			}
			rss, live = append(rss, r.RSSMB), append(live, r.HeapMB)
		}
		resident[i], heap[i] = median(rss), median(live)
	}
	heap[2] = 0 // not available
	line(w.title+": live heap, MB", heap)
	line(w.title+": resident, MB", resident)
	return nil
}

// line prints the figures of nbduet, yjs and pycrdt; 0 means no figure.
func line(title string, v []float64) {
	fmt.Printf("%-58s", title)
	for _, x := range v {
		fmt.Printf("%10s", figure("%.1f", x))
	}
	for _, x := range v[1:] {
		if x != 0 {
			x = v[0] / x
		}
		fmt.Printf("%13s", figure("%.2f", x))
	}
	fmt.Println()
}

func figure(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}
