package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of orphaned descendants, so that it can find and end them.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of processes that lose theirs: %w", err)
	}
	return nil
}

// process is a descendant of this process.
type process struct {
	pid  int
	line string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, p.line) }

// entry is a process of the machine.
type entry struct {
	pid, parent int
	ended       bool // but not waited for
}

// processes returns all processes of the machine.
func processes() (all []entry) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …; the name may have spaces and parentheses.
		_, rest, _ := strings.Cut(string(b[bytes.LastIndexByte(b, ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(fields[1])
		all = append(all, entry{pid, parent, fields[0] == "Z"})
	}
	return all
}

// descendants returns the descendants of this process that have not ended.
func descendants() (found []process) {
	all := processes()
	below := map[int]bool{os.Getpid(): true}
	for more := true; more; {
		more = false
		for _, e := range all {
			if below[e.parent] && !below[e.pid] && !e.ended {
				below[e.pid], more = true, true
				found = append(found, process{e.pid, commandLine(e.pid)})
			}
		}
	}
	slices.SortFunc(found, func(a, b process) int { return a.pid - b.pid })
	return found
}

// bury waits for adopted processes as they end. Until then they stay visible to others, and a test that waits for the
// end of a server's kernel would not finish.
func (g *gate) bury(finished <-chan struct{}) {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, unix.SIGCHLD)
	defer signal.Stop(ends)
	for {
		select {
		case <-ends:
		case <-finished:
			return
		}
		g.mu.Lock()
		for _, e := range processes() {
			if e.ended && e.parent == os.Getpid() && !g.own[e.pid] {
				_, _ = unix.Wait4(e.pid, nil, unix.WNOHANG, nil) // the exit status does not matter
			}
		}
		g.mu.Unlock()
	}
}

// commandLine returns a process's command line, cut to the length of a line.
func commandLine(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	line := strings.TrimSpace(string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
	if r := []rune(line); len(r) > 120 {
		line = string(r[:120]) + "…"
	}
	return line
}

// patience is how long processes may take to end after SIGTERM.
const patience = 5 * time.Second

// endAll terminates all descendants of this process and kills those that stay.
func endAll() {
	for _, p := range descendants() {
		_ = unix.Kill(p.pid, unix.SIGTERM) // it may have ended
	}
	for end := time.Now().Add(patience); time.Now().Before(end) && len(descendants()) > 0; {
		time.Sleep(50 * time.Millisecond)
	}
	// Killed processes may leave others behind, which this process adopts.
	for left := descendants(); len(left) > 0; left = descendants() {
		for _, p := range left {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
