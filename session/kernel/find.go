package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
)

// A Wish names the kernel that a notebook should have: a kernelspec ("" for the server's default), and the language of a
// replacement where the server lacks that kernelspec ("" for none).
type Wish struct {
	Spec, Language string
	// Instead, if not nil, is called with the news that another kernelspec was started instead.
	Instead func(news string)
}

// A NoSpecError reports that the server has neither a notebook's kernelspec nor another for its language.
type NoSpecError struct {
	Notebook jupyter.Path
	Spec     string
	Has      []string // the server's kernelspecs, its default first
}

func (e *NoSpecError) Error() string {
	if len(e.Has) == 0 {
		return fmt.Sprintf("no kernelspec %s is installed on the Jupyter server, which has none", strconv.Quote(e.Spec))
	}
	return fmt.Sprintf("no kernelspec %s is installed on the Jupyter server, which has: %s", strconv.Quote(e.Spec), strings.Join(e.Has, ", ")) +
		textfmt.Hint(fmt.Sprintf("; assign_nb_kernel with path %s and kernel_name %s chooses one of them", strconv.Quote(e.Notebook.String()), strconv.Quote(e.Has[0])))
}

// FindOrStart returns a notebook's Jupyter session, so that people's tabs and this program share one kernel. If the session
// does not exist, it starts one and returns started. name is shown to people; empty means the file's name.
//
// A kernelspec that the server lacks is replaced by one for the same language, else the error is a *NoSpecError. The
// notebook's file is not read: it lags behind the room, and is empty while the server writes it.
//
// srv is the kernels' server. If it is not the notebook's, the path only identifies the kernel on srv.
func FindOrStart(ctx context.Context, srv *jupyter.Server, notebook jupyter.Path, name string, wish Wish) (s jupyter.Session, started bool, err error) {
	sessions, err := srv.Sessions.List(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", notebook, err)
	}
	for _, s := range sessions {
		if s.Path == notebook { // regardless of its type: the server has one session for a path
			return s, false, nil
		}
	}
	spec, err := chooseSpec(ctx, srv, wish)
	if none := (*NoSpecError)(nil); errors.As(err, &none) {
		none.Notebook = notebook
		return jupyter.Session{}, false, err
	}
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", notebook, err)
	}
	name = cmp.Or(name, notebook.Name())
	s, err = srv.Sessions.Create(ctx, jupyter.NewSession{Path: notebook, Name: name, Type: "notebook", KernelName: spec})
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", notebook, err)
	}
	if spec != wish.Spec && wish.Instead != nil {
		wish.Instead(fmt.Sprintf("the notebook's kernelspec %s is not installed on the Jupyter server: %s was started instead", strconv.Quote(wish.Spec), spec))
	}
	return s, true, nil
}

// chooseSpec returns the kernelspec to start; empty leaves it to the server.
func chooseSpec(ctx context.Context, srv *jupyter.Server, wish Wish) (string, error) {
	specs, err := srv.Kernels.Specs(ctx)
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
	return "", &NoSpecError{Spec: wish.Spec, Has: names}
}
