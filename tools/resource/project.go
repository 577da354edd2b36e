package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/store/project"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// DefaultProject is the default path of the project file, in the Jupyter server's root folder.
const DefaultProject = "project.yaml"

// A ProjectFile reads project.yaml through the Jupyter server, and reads it again only if it has changed. It is safe for
// concurrent use.
type ProjectFile struct {
	Manager *session.Manager
	Path    jupyter.Path

	mu   sync.Mutex
	file fileStamp // of the file when it was read
	read *project.Project
}

// A fileStamp identifies a version of a file.
type fileStamp struct {
	modified time.Time
	size     int64
	hash     string
}

func stampOf(c jupyter.Content) fileStamp {
	return fileStamp{c.LastModified, tool.ValueOr(c.Size, 0), c.Hash}
}

// errProject is matched by errors about the project file itself.
var errProject = errors.New("the project file cannot be used")

// load returns the project that the file currently describes. The error matches [jupyter.ErrNotFound] if the file is
// missing, and errProject if it is malformed; then it names the line.
func (f *ProjectFile) load(ctx context.Context) (*project.Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	srv := f.Manager.Servers().Documents
	c, err := srv.Contents.Get(ctx, f.Path, jupyter.ContentsOptions{Hash: true})
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		f.read = nil
		return nil, err
	case err != nil:
		return nil, err
	case c.Type == "directory":
		return nil, fmt.Errorf("%s: %w: it is a folder", f.Path, errProject)
	case c.Size != nil && *c.Size > project.MaxBytes:
		return nil, fmt.Errorf("%s: %w: it has %d bytes, and the limit is %d", f.Path, errProject, *c.Size, project.MaxBytes)
	}
	if f.read != nil && stampOf(c) == f.file {
		return f.read, nil
	}
	// It may be empty or incomplete while the server or another program writes it.
	f.read = nil
	err = jupyter.Again(ctx, 4, errProject, func() error {
		c, err := srv.Contents.Get(ctx, f.Path, jupyter.ContentsOptions{Content: true, Type: "file", Format: "text", Hash: true})
		if err != nil {
			return err
		}
		var text string
		if err := json.Unmarshal(c.Content, &text); err != nil {
			return fmt.Errorf("%s: %w: it is not text", f.Path, errProject)
		}
		p, err := project.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", f.Path, errProject, err)
		}
		f.file, f.read = stampOf(c), p
		return nil
	})
	return f.read, err
}

// add adds an entry to a list of a module, in the room of the file, so that all who have it open see it.
func (f *ProjectFile) add(ctx context.Context, module, list string, entry any) (doc *session.Document, there bool, err error) {
	doc, err = f.Manager.OpenText(ctx, f.Path)
	if errors.Is(err, jupyter.ErrNotFound) {
		return nil, false, fmt.Errorf("there is no project file %q on the Jupyter server: create it with \"project: {name: …}\" and its modules, or leave out add_to and module", f.Path)
	}
	if err != nil {
		return nil, false, err
	}
	defer doc.Release()
	before, err := f.Manager.Servers().Documents.Contents.Get(ctx, f.Path, jupyter.ContentsOptions{Hash: true})
	if err != nil {
		return nil, false, err
	}
	var after *project.Project
	err = doc.EditText(ctx, "add to the project", func(e *ydoc.TextEditor) error {
		text, had, err := project.Add(e.String(), module, list, entry)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", f.Path, errProject, err)
		}
		there = had
		if after, err = project.Parse(text); err != nil || had {
			return err
		}
		return e.SetText(text)
	})
	if err != nil {
		return nil, false, err
	}
	// The file is saved about a second later; until then, the cached project is newer.
	f.mu.Lock()
	f.file, f.read = stampOf(before), after
	f.mu.Unlock()
	return doc, there, nil
}
