//go:build !linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// adopt does nothing: only Linux lets a process adopt orphans.
func adopt() error { return nil }

// process is a descendant of this process.
type process struct {
	pid  int
	line string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, p.line) }

// descendants returns the descendants of this process, as far as their parents live.
func descendants() []process {
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,command=").Output()
	if err != nil {
		return nil // without ps they end with their terminal
	}
	below := map[int]bool{os.Getpid(): true}
	var found []process
	for more := true; more; {
		more = false
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if len(fields) < 3 {
				continue
			}
			pid, _ := strconv.Atoi(fields[0])
			parent, _ := strconv.Atoi(fields[1])
			if below[parent] && !below[pid] {
				below[pid], more = true, true
				found = append(found, process{pid, strings.Join(fields[2:], " ")})
			}
		}
	}
	return found
}

// bury does nothing: nothing is adopted.
func (g *gate) bury(<-chan struct{}) {}

// endAll kills all descendants of this process.
func endAll() {
	for _, p := range descendants() {
		if process, err := os.FindProcess(p.pid); err == nil {
			_ = process.Kill() // it may have ended
		}
	}
}
