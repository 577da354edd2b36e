package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// report writes the measurements.
func report(out io.Writer, l load, idle figures, w *watch, took map[string][]time.Duration) error {
	var b strings.Builder
	first, last := w.looks[0], w.looks[len(w.looks)-1]
	lasted := w.times[len(w.times)-1].Sub(w.times[0])
	fmt.Fprintf(&b, "%d users with an open notebook each, %d of them at work for %s:\n\n", l.users, l.active, lasted.Round(time.Second))
	b.WriteString("| what | processes | memory before | most memory | CPU while they work |\n| --- | --- | --- | --- | --- |\n")
	for _, kind := range kinds {
		most, processes := int64(0), 0
		for _, f := range w.looks {
			most, processes = max(most, f[kind].memory), max(processes, f[kind].processes)
		}
		cores := (last[kind].cpu - first[kind].cpu).Seconds() / lasted.Seconds()
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %.2f cores |\n", kind, processes, megabytes(idle[kind].memory), megabytes(most), cores)
	}
	b.WriteString("\n| call | calls | median | 95 % |\n| --- | --- | --- | --- |\n")
	for _, tool := range slices.Sorted(maps.Keys(took)) {
		all := took[tool]
		slices.Sort(all)
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", tool, len(all), all[len(all)/2].Round(time.Millisecond), all[len(all)*95/100].Round(time.Millisecond))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+500_000)/1_000_000) }
