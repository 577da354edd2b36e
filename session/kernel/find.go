package kernel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// A Wish is which kernel a notebook is to have: a kernelspec, "" for the server's default, and the language of the one
// that takes its place where the server lacks it, "" for none.
type Wish struct{ Spec, Language string }

// FindOrStart returns the Jupyter session of a notebook, so that people's tabs and this program share one kernel. If
// there is none, it starts one and returns started. name is shown to people; empty stands for the file's name.
//
// A kernelspec that the server lacks is replaced by one for the same language; if there is none, the error lists the
// server's. The notebook's file is not read: it lags behind the room, and is empty while the server writes it.
//
// srv is the kernels' server. If it is not the notebook's, the notebook's path is only a name by which srv finds the
// kernel.
func FindOrStart(ctx context.Context, srv *jupyter.Server, notebook jupyter.Path, name string, wish Wish) (s jupyter.Session, started bool, err error) {
	sessions, err := srv.Sessions(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", notebook, err)
	}
	for _, s := range sessions {
		if s.Path == notebook { // whatever its type: the server has one session for a path
			return s, false, nil
		}
	}
	spec, err := chooseSpec(ctx, srv, wish)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", notebook, err)
	}
	if name == "" {
		name = notebook.Name()
	}
	s, err = srv.CreateSession(ctx, jupyter.NewSession{Path: notebook, Name: name, Type: "notebook", KernelName: spec})
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", notebook, err)
	}
	return s, true, nil
}

// chooseSpec returns the kernelspec to start; empty leaves it to the server.
func chooseSpec(ctx context.Context, srv *jupyter.Server, wish Wish) (string, error) {
	specs, err := srv.KernelSpecs(ctx)
	if err != nil {
		return "", err
	}
	if _, ok := specs.Specs[wish.Spec]; ok || wish.Spec == "" {
		return wish.Spec, nil
	}
	names := slices.Sorted(maps.Keys(specs.Specs))
	if i := slices.Index(names, specs.Default); i > 0 { // the default is the first choice
		names = slices.Insert(slices.Delete(names, i, i+1), 0, specs.Default)
	}
	for _, n := range names {
		if wish.Language != "" && strings.EqualFold(specs.Specs[n].Spec.Language, wish.Language) {
			return n, nil
		}
	}
	return "", fmt.Errorf("the server has no kernelspec %q (it has: %s)", wish.Spec, strings.Join(names, ", "))
}
