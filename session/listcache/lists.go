package listcache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Lists are the lists of the servers of documents and kernels, which may be one. Make it with [New].
type Lists struct {
	documents, kernels *jupyter.Server
	hear               []*listener // one for each server
	store              store
}

// New makes the lists of the servers of documents and of kernels. start runs a function in a goroutine with an owner, who
// ends its context and waits for it, and reports whether it does; it may be nil: then nothing is heard from the servers.
func New(documents, kernels *jupyter.Server, start func(func(context.Context)) bool) *Lists {
	l := &Lists{documents: documents, kernels: kernels, store: store{
		servers: []*jupyter.Server{documents}, answers: make(map[string]*answer),
	}}
	if kernels != documents {
		l.store.servers = append(l.store.servers, kernels)
	}
	if start != nil {
		for _, srv := range l.store.servers {
			l.hear = append(l.hear, &listener{srv: srv, start: start})
		}
	}
	return l
}

// listen has the changes of a server heard.
func (l *Lists) listen(ctx context.Context, srv *jupyter.Server) {
	for _, h := range l.hear {
		if h.srv == srv {
			h.wanted(ctx)
		}
	}
}

// Rough sizes in memory, in bytes.
const (
	entrySize = 400
	specSize  = 2000
)

// Folder lists a folder of the documents' server. For a path that is no folder the error says what it is.
func (l *Lists) Folder(ctx context.Context, path jupyter.Path) ([]jupyter.Content, error) {
	l.listen(ctx, l.documents)
	list, err := get(ctx, &l.store, "folder "+path.String(), func() ([]jupyter.Content, int, error) {
		list, err := l.folder(ctx, path)
		size := entrySize
		for _, c := range list {
			size += entrySize + len(c.Name) + len(c.Path.String())
		}
		return list, size, err
	})
	return slices.Clone(list), err
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
		return nil, fmt.Errorf("path %q is a %s, not a folder: give the folder that it is in", path, c.Type)
	}
	return c.Entries()
}

// Kernels lists the running kernels.
func (l *Lists) Kernels(ctx context.Context) ([]jupyter.Kernel, error) {
	l.listen(ctx, l.kernels)
	list, err := get(ctx, &l.store, "kernels", func() ([]jupyter.Kernel, int, error) {
		list, err := l.kernels.Kernels.List(ctx)
		return list, entrySize * (1 + len(list)), err
	})
	return slices.Clone(list), err
}

// Sessions lists the Jupyter sessions of the kernels' server.
func (l *Lists) Sessions(ctx context.Context) ([]jupyter.Session, error) {
	l.listen(ctx, l.kernels)
	list, err := get(ctx, &l.store, "sessions", func() ([]jupyter.Session, int, error) {
		list, err := l.kernels.Sessions.List(ctx)
		return list, 2 * entrySize * (1 + len(list)), err
	})
	return slices.Clone(list), err
}

// KernelSpecs lists the kernels that can be started. What is in a spec is not to be changed.
func (l *Lists) KernelSpecs(ctx context.Context) (jupyter.KernelSpecs, error) {
	l.listen(ctx, l.kernels)
	specs, err := get(ctx, &l.store, "kernelspecs", func() (jupyter.KernelSpecs, int, error) {
		specs, err := l.kernels.Kernels.Specs(ctx)
		return specs, specSize * (1 + len(specs.Specs)), err
	})
	specs.Specs = maps.Clone(specs.Specs)
	return specs, err
}
