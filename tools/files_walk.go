package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// How far a walk through the folders of a server goes.
const (
	walkers     = 8      // folders listed at once
	maxDepth    = 20     // folders below the first
	maxEntries  = 10_000 // files and folders looked at
	maxListed   = 1_500  // entries in an answer
	maxWalkTime = 20 * time.Second
)

// A walkNote is what a walk has to say beside its result.
type walkNote struct {
	stopped    string // why it ended before the end
	unreadable int    // folders that could not be listed
	example    string // one of them, and why
}

func (n walkNote) String() string {
	var parts []string
	if n.stopped != "" {
		parts = append(parts, "stopped early: "+n.stopped+"; give a path further down to see the rest")
	}
	if n.unreadable > 0 {
		parts = append(parts, plural(n.unreadable, "folder")+" could not be listed, for example: "+n.example)
	}
	return strings.Join(parts, ". ")
}

// A search is what a walk looks for.
type search struct {
	root  string
	wants func(jupyter.Content) bool
	what  string // what is wanted, for people: "notebook"
	// depth is how many folders below root the walk goes into. Where capped is set, that there are deeper ones is
	// nothing to be told of.
	depth  int
	capped bool
}

// walk goes through the folders below a root, several at once, and returns what is wanted, sorted by path. That root
// itself cannot be listed is an error; that a folder below cannot is noted.
func walk(ctx context.Context, srv *jupyter.Server, s search) ([]jupyter.Content, walkNote, error) {
	limited, cancel := context.WithTimeout(ctx, maxWalkTime)
	defer cancel()
	first, err := listFolder(limited, srv, s.root)
	if err != nil {
		return nil, walkNote{}, err
	}
	w := &walker{search: s, srv: srv, slots: make(chan struct{}, walkers), stop: cancel}
	w.take(limited, first, 0)
	w.wait(ctx)
	if err := ctx.Err(); err != nil {
		return nil, walkNote{}, fmt.Errorf("list %ss: %w", s.what, err)
	}
	if limited.Err() != nil && w.note.stopped == "" {
		w.note.stopped = "it took longer than " + maxWalkTime.String()
	}
	slices.SortFunc(w.found, func(a, b jupyter.Content) int { return cmp.Compare(a.Path, b.Path) })
	return w.found, w.note, nil
}

// listFolder returns a folder's entries.
func listFolder(ctx context.Context, srv *jupyter.Server, path string) ([]jupyter.Content, error) {
	c, err := srv.Contents(ctx, path, jupyter.ContentsOptions{})
	if err != nil {
		return nil, err
	}
	if c.Type != "directory" {
		return nil, fmt.Errorf("path %q is a %s, not a folder: give the folder that it is in", path, c.Type)
	}
	if c, err = srv.Contents(ctx, path, jupyter.ContentsOptions{Content: true, Type: "directory"}); err != nil {
		return nil, err
	}
	return c.Entries()
}

// A walker lists folders, at most walkers at a time, each in a goroutine that wg waits for.
type walker struct {
	search
	srv   *jupyter.Server
	slots chan struct{}
	stop  context.CancelFunc // ends the walk when a bound is reached
	wg    sync.WaitGroup

	mu      sync.Mutex
	found   []jupyter.Content
	entries int
	folders int
	note    walkNote
}

// wait waits for the end of the walk and tells of progress on the way.
func (w *walker) wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.wg.Wait()
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			w.mu.Lock()
			folders, found := w.folders, len(w.found)
			w.mu.Unlock()
			progress(ctx, float64(folders), plural(folders, "folder")+" listed, "+plural(found, w.what)+" found")
		}
	}
}

// take sorts a folder's entries into what is wanted and folders to go into.
func (w *walker) take(ctx context.Context, entries []jupyter.Content, depth int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders++
	for _, c := range entries {
		if strings.HasPrefix(c.Name, ".") {
			continue // hidden, checkpoints among them
		}
		if w.entries++; w.entries > maxEntries {
			w.end("more than " + thousands(maxEntries) + " files and folders")
			return
		}
		if w.wants(c) {
			if len(w.found) >= maxListed {
				w.end("more than " + thousands(maxListed) + " " + w.what + "s")
				return
			}
			w.found = append(w.found, c)
		}
		switch {
		case c.Type != "directory":
		case depth < w.depth:
			w.wg.Go(func() { w.enter(ctx, c.Path, depth+1) })
		case !w.capped:
			w.note.stopped = fmt.Sprintf("folders more than %d deep", w.depth)
		}
	}
}

// end stops the walk. The caller holds mu.
func (w *walker) end(why string) {
	w.note.stopped = why
	w.stop()
}

// enter lists one folder and takes what is in it.
func (w *walker) enter(ctx context.Context, path string, depth int) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	var entries []jupyter.Content
	c, err := w.srv.Contents(ctx, path, jupyter.ContentsOptions{Content: true, Type: "directory"})
	if err == nil {
		entries, err = c.Entries()
	}
	<-w.slots
	switch {
	case err == nil:
		w.take(ctx, entries, depth)
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
	default:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.note.unreadable++; w.note.example == "" {
			w.note.example = err.Error()
		}
	}
}
