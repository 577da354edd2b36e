package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
	"github.com/nbduet/nbduet/ydoc"
)

// loseTimeout bounds the wait for the run that a restart ends.
const loseTimeout = 10 * time.Second

// KernelChange describes a change of a notebook's kernel.
type KernelChange struct {
	Kernel  KernelInfo
	Former  string // the kernelspec of the former kernel; "" for none
	Started bool   // a kernel was started, because the notebook had none
	Changed bool   // the kernelspec differs from the former one
	Fresh   bool   // the process is new: all variables are gone
}

// NoKernelError means that the server has no kernelspec with this name.
type NoKernelError struct {
	Name string
	Has  []string // the server's kernelspecs
}

func (e *NoKernelError) Error() string {
	return fmt.Sprintf("the server has no kernel %q; it has: %s", e.Name, strings.Join(e.Has, ", "))
}

// Restart gives the notebook a new kernel process: it restarts the kernel, or replaces it with one of the kernelspec name,
// if name is neither "" nor the kernel's own. If the notebook has no kernel, it starts one. Current runs are lost, waiting
// ones are cancelled, and all busy cells, including those that people ran, become idle, because nothing else will end them.
//
// The next run gets the note that the variables are gone, unless quiet is set, for a caller that runs cells next.
func (k *NotebookKernel) Restart(ctx context.Context, name string, quiet bool) (KernelChange, error) {
	return k.renew(ctx, name, func(had bool, _ jupyter.Session) bool { return had }, quiet)
}

// Assign gives the notebook a kernel of a kernelspec, in its metadata and in its Jupyter session, so that open
// tabs follow. A running kernel of that kernelspec is kept.
func (k *NotebookKernel) Assign(ctx context.Context, name string) (KernelChange, error) {
	if name == "" {
		return KernelChange{}, errors.New("assign a kernel: no kernel was named")
	}
	return k.renew(ctx, name, func(_ bool, s jupyter.Session) bool {
		return s.Kernel.ExecutionState == kernel.StateDead
	}, false)
}

// renew starts, changes or restarts the notebook's kernel; again reports whether to restart one of the right kernelspec.
func (k *NotebookKernel) renew(ctx context.Context, name string, again func(had bool, s jupyter.Session) bool, quiet bool) (KernelChange, error) {
	d := k.d
	srv := k.servers.Runtime
	var spec jupyter.KernelSpec
	if name != "" {
		specs, err := srv.Kernels.Specs(ctx)
		if err != nil {
			return KernelChange{}, err
		}
		var ok bool
		if spec, ok = specs.Specs[name]; !ok {
			return KernelChange{}, &NoKernelError{Name: name, Has: slices.Sorted(maps.Keys(specs.Specs))}
		}
	}
	through := d.cells.Hold()
	defer d.cells.Release()
	s, started, err := k.Ensure(ctx, name)
	if err != nil {
		return KernelChange{}, err
	}
	c := KernelChange{Started: started, Fresh: true}
	if !started {
		c.Former = s.Kernel.Name
	}
	switch {
	case name != "" && s.Kernel.Name != name:
		if s, err = srv.Sessions.ChangeKernel(ctx, s.ID, name); err != nil {
			return KernelChange{}, fmt.Errorf("change the kernel of %s: %w", d.Path(), k.unsure(err, "change to "+name))
		}
	case again(!started, s):
		if _, err := srv.Kernels.Restart(ctx, s.Kernel.ID); err != nil {
			return KernelChange{}, fmt.Errorf("restart the kernel of %s: %w", d.Path(), k.unsure(err, "restart"))
		}
		k.Reattach(ctx, s)
	default:
		c.Fresh = started
	}
	c.Changed = c.Former != "" && c.Former != s.Kernel.Name
	c.Kernel = KernelInfo{Name: s.Kernel.Name, ID: s.Kernel.ID, State: s.Kernel.ExecutionState}
	if c.Fresh {
		k.startAfresh(ctx, c, through, quiet)
		if err := k.idleAll(ctx); err != nil {
			return c, err
		}
	}
	if name != "" {
		if err := k.note(ctx, name, spec); err != nil {
			return c, fmt.Errorf("the kernel is now %s, but the notebook's metadata could not be changed: %w", name, err)
		}
	}
	return c, nil
}

// unsure adds a note to the next run about a request that the server received but did not answer, and may still carry out.
// It returns the request's error with this note.
func (k *NotebookKernel) unsure(err error, what string) error {
	var e *jupyter.Error
	if !errors.As(err, &e) || e.Status != 0 || errors.Is(err, jupyter.ErrUnreachable) {
		return err
	}
	k.link.Say("the kernel was asked to " + what + ", which was not answered: the earlier variables may be gone")
	return fmt.Errorf("%w; the kernel may still do it", err)
}

// startAfresh ends the runs that were meant for the former process.
func (k *NotebookKernel) startAfresh(ctx context.Context, c KernelChange, through <-chan struct{}, quiet bool) {
	d := k.d
	what := "the kernel was restarted"
	if c.Changed {
		what = fmt.Sprintf("the notebook's kernel was changed from %s to %s", c.Former, c.Kernel.Name)
	}
	d.cells.GiveUp(ctx, errors.New("not run: "+what+" before its turn came"))
	if through != nil {
		late := time.NewTimer(loseTimeout)
		defer late.Stop()
		select {
		case <-through:
		case <-late.C: // the end of its connection will end it
		case <-ctx.Done():
		case <-d.ctx.Done():
		}
	}
	k.link.Renew()
	if !quiet && !c.Started {
		k.link.Say(what + ": the earlier variables are gone")
	}
}

// idleAll clears the busy mark of all cells. No cell is running, because the kernel's process is new and the queue is held.
func (k *NotebookKernel) idleAll(ctx context.Context) error {
	d := k.d
	busy := lo.FilterMap(d.Notebook().Cells(), func(c ydoc.Cell, _ int) (string, bool) {
		return c.ID, c.Type == ydoc.Code && c.ExecutionState == ydoc.Running
	})
	if len(busy) == 0 {
		return nil
	}
	if err := d.Edit(ctx, "idle", func(e *ydoc.Editor) error { return run.Idle(e, busy) }); err != nil {
		return fmt.Errorf("clear the busy mark of the cells that the kernel lost: %w", err)
	}
	return nil
}

// infoTimeout bounds the wait for a new kernel's language_info.
const infoTimeout = 15 * time.Second

// note writes the kernel's kernelspec and language into the notebook's metadata, as JupyterLab does when the kernel
// changes.
func (k *NotebookKernel) note(ctx context.Context, name string, spec jupyter.KernelSpec) error {
	d := k.d
	meta := d.Notebook().Metadata()
	before, _ := meta["kernelspec"].(map[string]any)
	if before["name"] == name && before["display_name"] == spec.Spec.DisplayName && meta["language_info"] != nil {
		return nil
	}
	language := k.languageInfo(ctx)
	return d.Edit(ctx, "kernel", func(e *ydoc.Editor) error {
		if err := e.SetMetadata("kernelspec", map[string]any{
			"name": name, "display_name": spec.Spec.DisplayName, "language": spec.Spec.Language,
		}); err != nil {
			return err
		}
		if language != nil {
			return e.SetMetadata("language_info", language)
		}
		if _, ok := e.Metadata()["language_info"]; ok && before["name"] != name {
			return e.DeleteMetadata("language_info") // better none than the former kernel's
		}
		return nil
	})
}

// languageInfo returns the kernel's description of its language, nil if it does not come in time, or if this program must
// not connect.
func (k *NotebookKernel) languageInfo(ctx context.Context) map[string]any {
	d := k.d
	ctx, stop := context.WithTimeout(ctx, infoTimeout)
	defer stop()
	var info map[string]any
	conn, err := k.Connect(ctx)
	if err == nil {
		info, err = conn.LanguageInfo(ctx)
	}
	if err != nil {
		d.m.log.Debug("the new kernel's language is not known", "path", d.Path(), "error", err)
		return nil
	}
	return info
}
