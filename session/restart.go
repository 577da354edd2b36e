package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/ydoc"
)

// loseTimeout bounds the wait for the run that a restart ends.
const loseTimeout = 10 * time.Second

// KernelChange is what became of a notebook's kernel.
type KernelChange struct {
	Kernel  KernelInfo
	Former  string // the kernelspec of the kernel that was there before; "" for none
	Started bool   // there was no kernel, so one was started
	Changed bool   // the kernelspec is another one than before
	Fresh   bool   // the process is new: nothing of what was defined before is left
}

// NoKernelError says that the server has no kernelspec of a name.
type NoKernelError struct {
	Name string
	Has  []string // what it has
}

func (e *NoKernelError) Error() string {
	return fmt.Sprintf("the server has no kernel %q; it has: %s", e.Name, strings.Join(e.Has, ", "))
}

// RestartKernel gives the notebook a new kernel process: its kernel is started again, or one of another kernelspec put
// in its place where name is neither "" nor the kernel's own. Where there is no kernel one is started. What runs is
// lost, and what waits is cancelled; the cells that showed as busy, those that people ran included, are idle
// afterwards, since nothing will end them.
//
// The next run is told that the variables are gone, unless quiet is set, for a caller that runs cells next.
func (d *Document) RestartKernel(ctx context.Context, name string, quiet bool) (KernelChange, error) {
	return d.kernel.renew(ctx, name, func(had bool, _ jupyter.Session) bool { return had }, quiet)
}

// AssignKernel makes the kernel of a kernelspec the notebook's, in its metadata and in its Jupyter session, so that
// open tabs follow. A running kernel of that kernelspec is kept as it is.
func (d *Document) AssignKernel(ctx context.Context, name string) (KernelChange, error) {
	if name == "" {
		return KernelChange{}, errors.New("assign a kernel: no kernel was named")
	}
	return d.kernel.renew(ctx, name, func(_ bool, s jupyter.Session) bool {
		return s.Kernel.ExecutionState == kernel.StateDead
	}, false)
}

// renew sees to the notebook's kernel; again tells whether one of the right kernelspec is to be restarted.
func (k *notebookKernel) renew(ctx context.Context, name string, again func(had bool, s jupyter.Session) bool, quiet bool) (KernelChange, error) {
	d := k.d
	srv := k.servers.Kernels
	var spec jupyter.KernelSpec
	if name != "" {
		specs, err := srv.KernelSpecs(ctx)
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
	s, started, err := k.session(ctx, name)
	if err != nil {
		return KernelChange{}, err
	}
	c := KernelChange{Started: started, Fresh: true}
	if !started {
		c.Former = s.Kernel.Name
	}
	switch {
	case name != "" && s.Kernel.Name != name:
		if s, err = srv.ChangeKernel(ctx, s.ID, name); err != nil {
			return KernelChange{}, fmt.Errorf("change the kernel of %s: %w", d.Path(), err)
		}
	case again(!started, s):
		if _, err := srv.Restart(ctx, s.Kernel.ID); err != nil {
			return KernelChange{}, fmt.Errorf("restart the kernel of %s: %w", d.Path(), err)
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
			return c, fmt.Errorf("the kernel is %s now, but the notebook's metadata does not say so: %w", name, err)
		}
	}
	return c, nil
}

// startAfresh ends what was meant for the former process.
func (k *notebookKernel) startAfresh(ctx context.Context, c KernelChange, through <-chan struct{}, quiet bool) {
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
		k.link.Say(what + ": the variables from before are gone")
	}
}

// idleAll takes the busy mark from all cells that have it. The kernel's process is new, and the queue is held, so that
// none of them runs.
func (k *notebookKernel) idleAll(ctx context.Context) error {
	d := k.d
	var busy []string
	for _, c := range d.Notebook().Cells() {
		if c.Type == ydoc.Code && c.ExecutionState == ydoc.Running {
			busy = append(busy, c.ID)
		}
	}
	if len(busy) == 0 {
		return nil
	}
	err := d.Edit(ctx, "idle", func(e *ydoc.Editor) error {
		for _, id := range busy {
			if _, ok := e.Index(id); !ok {
				continue
			}
			if err := e.FinishRun(id, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take the busy mark from the cells that the kernel has lost: %w", err)
	}
	return nil
}

// infoTimeout bounds the wait for a new kernel's word on its language.
const infoTimeout = 15 * time.Second

// note writes the kernel into the notebook's metadata, as JupyterLab does when a notebook gets another one: its
// kernelspec, and what it says of its language.
func (k *notebookKernel) note(ctx context.Context, name string, spec jupyter.KernelSpec) error {
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
			return e.DeleteMetadata("language_info") // better none than that of the former kernel
		}
		return nil
	})
}

// languageInfo is the kernel's own description of its language, nil where it does not give one in time, or where the
// connection is not ours to open.
func (k *notebookKernel) languageInfo(ctx context.Context) map[string]any {
	d := k.d
	ctx, stop := context.WithTimeout(ctx, infoTimeout)
	defer stop()
	conn, err := k.connect(ctx)
	if err != nil {
		d.m.log.Debug("the new kernel's language is not known", "path", d.Path(), "error", err)
		return nil
	}
	info, err := conn.LanguageInfo(ctx)
	if err != nil {
		d.m.log.Debug("the new kernel's language is not known", "path", d.Path(), "error", err)
		return nil
	}
	return info
}
