package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The kinds of processes that are watched.
const (
	kindProgram = "nbduet hub"
	kindServer  = "users' servers"
	kindKernel  = "kernels"
	kindHub     = "JupyterHub and its proxy"
)

var kinds = []string{kindProgram, kindServer, kindKernel, kindHub}

// A figure is the use of memory and CPU by the processes of one kind at one moment.
type figure struct {
	processes int
	memory    int64         // bytes (PSS: shared memory is counted once)
	cpu       time.Duration // since their starts
}

type figures map[string]figure

// A watch samples processes at intervals.
type watch struct {
	program string
	folder  string // the hub's; it is in the environment of all its processes
	looks   []figures
	times   []time.Time
}

func newWatch(program, folder string) *watch { return &watch{program: program, folder: folder} }

// every is the interval of a watch.
const every = 10 * time.Second

// until takes samples until ctx ends, including one at the beginning and one at the end.
func (w *watch) until(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		f, err := w.look()
		if err != nil {
			return err
		}
		w.looks, w.times = append(w.looks, f), append(w.times, time.Now())
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// look returns the processes' present use.
func (w *watch) look() (figures, error) {
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	out := figures{}
	for _, folder := range folders {
		kind := w.kind(folder)
		if kind == "" {
			continue
		}
		memory, cpu, err := taken(folder)
		if errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "no such process") {
			continue // it has ended
		}
		if err != nil {
			return nil, err
		}
		f := out[kind]
		f.processes++
		f.memory += memory
		f.cpu += cpu
		out[kind] = f
	}
	return out, nil
}

// kind returns the kind of a process, or "" for other processes.
func (w *watch) kind(folder string) string {
	line, err := os.ReadFile(filepath.Join(folder, "cmdline"))
	if err != nil {
		return ""
	}
	env, err := os.ReadFile(filepath.Join(folder, "environ"))
	if err != nil {
		return ""
	}
	args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	all := strings.Join(args, " ")
	switch {
	case args[0] == w.program:
		return kindProgram
	case !strings.Contains(string(env), "="+w.folder):
		return ""
	case strings.Contains(all, "jupyterhub.singleuser"):
		return kindServer
	case strings.Contains(all, "ipykernel_launcher"):
		return kindKernel
	case strings.Contains(all, "-m jupyterhub"), strings.Contains(all, "configurable-http-proxy"):
		return kindHub
	}
	return ""
}

// ticks is Linux's number of CPU time units per second, on all machines that Go runs on.
const ticks = 100

// taken returns the memory and the CPU time of a process.
func taken(folder string) (memory int64, cpu time.Duration, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "smaps_rollup"))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("read %s/smaps_rollup: %w", folder, err)
			}
			memory = kilobytes << 10
		}
	}
	text, err = os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // a program's name may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, 0, fmt.Errorf("read %s/stat: it has %d fields", folder, len(fields))
	}
	for _, f := range fields[11:13] { // user and system time
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read %s/stat: %w", folder, err)
		}
		cpu += time.Duration(n) * time.Second / ticks
	}
	return memory, cpu, nil
}
