package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/listcache"
	"github.com/nbduet/nbduet/session/textfmt"
)

// The limits of a walk through the folders of a server.
const (
	walkers     = 8      // folders listed at once
	MaxDepth    = 20     // folders below the first
	MaxEntries  = 10_000 // files and folders looked at
	MaxListed   = 1_500  // entries in an answer
	maxWalkTime = 20 * time.Second
	tellEvery   = time.Second
)

// A WalkNote reports why the result of a walk is incomplete.
type WalkNote struct {
	Stopped    string // why it ended early
	unreadable int    // folders that could not be listed
	example    string // one of them, and why
}

// String returns the note in words.
func (n WalkNote) String() string {
	var parts []string
	if n.Stopped != "" {
		parts = append(parts, "stopped early: "+n.Stopped+"; give a deeper path to see the rest")
	}
	if n.unreadable > 0 {
		parts = append(parts, textfmt.Plural(n.unreadable, "folder")+" could not be listed, for example: "+n.example)
	}
	return strings.Join(parts, ". ")
}

// A Search describes a walk.
type Search struct {
	Root  jupyter.Path
	Wants func(jupyter.Content) bool
	What  string // a word for the wanted entries, such as "notebook"
	// Depth is how many levels below the root the walk goes. If Capped is set, the note does not mention deeper folders.
	Depth  int
	Capped bool
	// Tell, if not nil, is called every second with the progress.
	Tell func(folders, found int)
}

// Walk searches the folders below a root, several at once, and returns the wanted entries, sorted by path. It fails if the
// root cannot be listed; folders below that cannot be listed are noted.
func Walk(ctx context.Context, lists *listcache.Lists, s Search) ([]jupyter.Content, WalkNote, error) {
	limited, cancel := context.WithTimeout(ctx, maxWalkTime)
	defer cancel()
	first, err := lists.Folder(limited, s.Root)
	if err != nil {
		return nil, WalkNote{}, err
	}
	w := &walker{Search: s, lists: lists, slots: make(chan struct{}, walkers), stop: cancel}
	w.take(limited, first, 0)
	w.wait()
	if err := ctx.Err(); err != nil {
		return nil, WalkNote{}, fmt.Errorf("list %ss: %w", s.What, err)
	}
	if limited.Err() != nil && w.note.Stopped == "" {
		w.note.Stopped = "it took longer than " + maxWalkTime.String()
	}
	slices.SortFunc(w.found, func(a, b jupyter.Content) int { return a.Path.Compare(b.Path) })
	return w.found, w.note, nil
}

// A walker lists folders, at most walkers at a time, each in a goroutine that wg waits for.
type walker struct {
	Search
	lists *listcache.Lists
	slots chan struct{}
	stop  context.CancelFunc // ends the walk when a bound is reached
	wg    sync.WaitGroup

	mu      sync.Mutex
	found   []jupyter.Content
	entries int
	folders int
	note    WalkNote
}

// wait waits for the end of the walk and reports progress.
func (w *walker) wait() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.wg.Wait()
	}()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			w.mu.Lock()
			folders, found := w.folders, len(w.found)
			w.mu.Unlock()
			if w.Tell != nil {
				w.Tell(folders, found)
			}
		}
	}
}

// take adds a folder's wanted entries to the result, and walks its subfolders.
func (w *walker) take(ctx context.Context, entries []jupyter.Content, depth int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders++
	for _, c := range entries {
		if strings.HasPrefix(c.Name, ".") {
			continue // hidden, such as checkpoints
		}
		if w.entries++; w.entries > MaxEntries {
			w.end("more than " + textfmt.Thousands(MaxEntries) + " files and folders")
			return
		}
		if w.Wants(c) {
			if len(w.found) >= MaxListed {
				w.end("more than " + textfmt.Thousands(MaxListed) + " " + w.What + "s")
				return
			}
			w.found = append(w.found, c)
		}
		switch {
		case c.Type != "directory":
		case depth < w.Depth:
			w.wg.Go(func() { w.enter(ctx, c.Path, depth+1) })
		case !w.Capped:
			w.note.Stopped = fmt.Sprintf("folders more than %d deep", w.Depth)
		}
	}
}

// end stops the walk. The caller holds mu.
func (w *walker) end(why string) {
	w.note.Stopped = why
	w.stop()
}

// enter lists one folder and takes its entries.
func (w *walker) enter(ctx context.Context, path jupyter.Path, depth int) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	entries, err := w.lists.Folder(ctx, path)
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
