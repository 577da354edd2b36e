package listcache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Lists are the lists of the servers of documents and kernels, which may be one. Create it with [New].
type Lists struct {
	documents, kernels *jupyter.Server
	store              *store
}

// New returns the lists of the servers of documents and of kernels.
func New(documents, kernels *jupyter.Server) *Lists {
	servers := []*jupyter.Server{documents}
	if kernels != documents {
		servers = append(servers, kernels)
	}
	return &Lists{documents: documents, kernels: kernels, store: newStore(servers...)}
}

// ErrNotFolder is matched by the error for the path of something other than a folder.
var ErrNotFolder = errors.New("not a folder: give the folder that it is in")

// Folder lists a folder of the documents' server. If the path is not a folder, it returns an error.
func (l *Lists) Folder(ctx context.Context, path jupyter.Path) ([]jupyter.Content, error) {
	return list(ctx, l.store, "folder "+path.String(), func(ctx context.Context) ([]jupyter.Content, error) { return l.folder(ctx, path) })
}

func (l *Lists) folder(ctx context.Context, path jupyter.Path) ([]jupyter.Content, error) {
	c, err := l.documents.Contents.Get(ctx, path, jupyter.ContentsOptions{Content: true, Type: "directory"})
	if errors.Is(err, jupyter.ErrBadRequest) { // among others, for a file
		if what, look := l.documents.Contents.Get(ctx, path, jupyter.ContentsOptions{}); look == nil && what.Type != "directory" {
			c, err = what, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if c.Type != "directory" {
		return nil, fmt.Errorf("path %q is a %s, %w", path, c.Type, ErrNotFolder)
	}
	return c.Entries()
}

// Kernels lists the running kernels.
func (l *Lists) Kernels(ctx context.Context) ([]jupyter.Kernel, error) {
	return list(ctx, l.store, "kernels", l.kernels.Kernels.List)
}

// Sessions lists the Jupyter sessions of the kernels' server.
func (l *Lists) Sessions(ctx context.Context) ([]jupyter.Session, error) {
	return list(ctx, l.store, "sessions", l.kernels.Sessions.List)
}

// list is get for a list; each caller gets a copy.
func list[T any](ctx context.Context, s *store, key string, ask func(context.Context) ([]T, error)) ([]T, error) {
	all, err := get(ctx, s, key, func() ([]T, int, error) {
		all, err := ask(ctx)
		return all, len(all), err
	})
	return slices.Clone(all), err
}

// KernelSpecs lists the kernelspecs. Callers must not modify them.
func (l *Lists) KernelSpecs(ctx context.Context) (jupyter.KernelSpecs, error) {
	specs, err := get(ctx, l.store, "kernelspecs", func() (jupyter.KernelSpecs, int, error) {
		specs, err := l.kernels.Kernels.Specs(ctx)
		return specs, len(specs.Specs), err
	})
	specs.Specs = maps.Clone(specs.Specs)
	return specs, err
}
