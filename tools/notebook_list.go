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
	maxListed   = 1_500  // notebooks in an answer
	maxWalkTime = 20 * time.Second
)

type listNbsArgs struct {
	Path string `json:"path"`
}

type listNbsResult struct {
	Notebooks []listedNotebook `json:"notebooks"`
	Stopped   bool             `json:"stopped_early"`
	Message   string           `json:"message,omitempty"`
}

type listedNotebook struct {
	Path         string `json:"path"`
	Name         string `json:"name"`
	LastModified string `json:"last_modified"`
	Created      string `json:"created"`
	Size         *int64 `json:"size"`
	Writable     bool   `json:"writable"`
	URL          string `json:"url"`
}

// listNbs makes list_nbs.
func listNbs(d *deps) tool {
	return tool{
		name:    "list_nbs",
		title:   "List notebooks",
		toolset: toolsetNotebook,
		description: "Lists the notebooks below a folder, recursively, as they are on disk. Use it to find a notebook's path. " +
			"Costs one request per folder; give a path where the server has many. Hidden folders and checkpoints are skipped. " +
			"It stops at " + thousands(maxEntries) + " entries, " + thousands(maxListed) + " notebooks, " + fmt.Sprint(maxDepth) +
			" folders deep or 20 seconds, and says so.",
		marks: marks{readOnly: true, idempotent: true},
		input: arguments(
			optional("path", text("Folder to search, relative to the server's root folder.").length(0, 4096).def("")),
		),
		output: object("",
			required("notebooks", list("The notebooks found, sorted by path.", object("",
				required("path", text("Path for the other tools, without a leading slash.")),
				required("name", text("File name.")),
				required("last_modified", text("ISO 8601 time.")),
				required("created", text("ISO 8601 time.")),
				required("size", integer("Bytes on disk.").orNull()),
				required("writable", boolean("Whether the server may write it.")),
				required("url", text("Address at which a person opens it.")),
			))),
			required("stopped_early", boolean("Whether there may be more notebooks than listed.")),
			optional("message", text("Why it stopped early, or what could not be listed.")),
		),
		handle: typed(func(ctx context.Context, args listNbsArgs) (*answer, error) {
			root, err := jupyter.CleanPath(args.Path)
			if err != nil {
				return nil, fmt.Errorf("path: %w", err)
			}
			found, note, err := findNotebooks(ctx, d.manager.Server(), root)
			if err != nil {
				return nil, err
			}
			base := d.manager.Server().BaseURL()
			out := listNbsResult{Notebooks: []listedNotebook{}, Stopped: note.stopped != "", Message: note.String()}
			for _, c := range found {
				out.Notebooks = append(out.Notebooks, listedNotebook{
					Path: c.Path, Name: c.Name, LastModified: stamp(c.LastModified), Created: stamp(c.Created),
					Size: c.Size, Writable: c.Writable, URL: pageURL(base, c.Path),
				})
			}
			a := &answer{body: &out}
			return a, a.trim(func() bool {
				if len(out.Notebooks) == 0 {
					return false
				}
				out.Notebooks = out.Notebooks[:len(out.Notebooks)*3/4]
				out.Stopped = true
				out.Message = fmt.Sprintf("the list ends after %s because the answer would be too long: give a path further down",
					plural(len(out.Notebooks), "notebook"))
				return true
			})
		}),
	}
}

// stamp writes a time as the tools do: ISO 8601, UTC, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

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

// findNotebooks walks the folders below root, several at once, and returns the notebooks sorted by path. That root
// itself cannot be listed is an error; that a folder below cannot is noted.
func findNotebooks(ctx context.Context, srv *jupyter.Server, root string) ([]jupyter.Content, walkNote, error) {
	walk, cancel := context.WithTimeout(ctx, maxWalkTime)
	defer cancel()
	first, err := listFolder(walk, srv, root)
	if err != nil {
		return nil, walkNote{}, err
	}
	w := &walker{srv: srv, slots: make(chan struct{}, walkers), stop: cancel}
	w.take(walk, first, 0)
	w.wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, walkNote{}, fmt.Errorf("list notebooks: %w", err)
	}
	if walk.Err() != nil && w.note.stopped == "" {
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
	srv   *jupyter.Server
	slots chan struct{}
	stop  context.CancelFunc // ends the walk when a bound is reached
	wg    sync.WaitGroup

	mu      sync.Mutex
	found   []jupyter.Content
	entries int
	note    walkNote
}

// take sorts a folder's entries into notebooks and folders to go into.
func (w *walker) take(ctx context.Context, entries []jupyter.Content, depth int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range entries {
		if strings.HasPrefix(c.Name, ".") {
			continue // hidden, checkpoints among them
		}
		if w.entries++; w.entries > maxEntries {
			w.note.stopped = "more than " + thousands(maxEntries) + " files and folders"
			w.stop()
			return
		}
		switch c.Type {
		case "notebook":
			if len(w.found) >= maxListed {
				w.note.stopped = "more than " + thousands(maxListed) + " notebooks"
				w.stop()
				return
			}
			w.found = append(w.found, c)
		case "directory":
			if depth >= maxDepth {
				w.note.stopped = fmt.Sprintf("folders more than %d deep", maxDepth)
				continue
			}
			w.wg.Go(func() { w.enter(ctx, c.Path, depth+1) })
		}
	}
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
