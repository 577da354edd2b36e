package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
)

// A NotebookKernel finds a notebook's kernel and holds the connection to it.
type NotebookKernel struct {
	d       *Document
	servers *kernel.Servers
	link    *kernel.Link
}

func newNotebookKernel(d *Document) *NotebookKernel {
	k := &NotebookKernel{d: d, servers: d.m.servers}
	k.link = kernel.NewLink(k, d.m.servers.Runtime, d.m.log)
	return k
}

// Link returns the connection to the kernel.
func (k *NotebookKernel) Link() *kernel.Link { return k.link }

// Servers returns the servers of the notebook and the kernel.
func (k *NotebookKernel) Servers() *kernel.Servers { return k.servers }

// Obtain finds the kernel of the notebook's Jupyter session, which open tabs use, or starts a session, which tabs will find.
func (k *NotebookKernel) Obtain(ctx context.Context) (jupyter.Kernel, bool, error) {
	if err := k.d.current().server.socket(k.servers.Apart()); err != nil {
		return jupyter.Kernel{}, false, err
	}
	s, started, err := k.Ensure(ctx, "")
	return s.Kernel, started, err
}

// Whose returns the kernel's owner, for messages.
func (k *NotebookKernel) Whose() string { return "the notebook's" }

// Interrupt interrupts the kernel.
func (k *NotebookKernel) Interrupt(ctx context.Context) error {
	id := k.link.KernelID()
	if id == "" {
		return errors.New("interrupt: the notebook has no kernel")
	}
	if err := k.servers.Runtime.Kernels.Interrupt(ctx, id); err != nil {
		return fmt.Errorf("interrupt the kernel of %s: %w", k.d.Path(), err)
	}
	return nil
}

// name returns the kernel name in the notebook's metadata, "" for the server's default.
func (k *NotebookKernel) name() string {
	spec, _ := k.d.Notebook().Metadata()["kernelspec"].(map[string]any)
	name, _ := spec["name"].(string)
	return name
}

// Language returns the language in the notebook's metadata, such as "python", or "" if it has none.
func (k *NotebookKernel) Language() string {
	metadata := k.d.Notebook().Metadata()
	for _, named := range []struct{ of, member string }{{"language_info", "name"}, {"kernelspec", "language"}} {
		of, _ := metadata[named.of].(map[string]any)
		if language, _ := of[named.member].(string); language != "" {
			return language
		}
	}
	return ""
}

// Session finds or starts the notebook's Jupyter session, with its kernel.
func (k *NotebookKernel) Session(ctx context.Context) (jupyter.Session, error) {
	s, _, err := k.Ensure(ctx, "")
	return s, err
}

// Ensure finds or starts the notebook's Jupyter session, with its kernel; a new one has the kernelspec, if one is
// named. The ID is "" if the notebook has a kernel without a session.
func (k *NotebookKernel) Ensure(ctx context.Context, spec string) (s jupyter.Session, started bool, err error) {
	d := k.d
	if err := d.current().server.kernels(k.servers.Apart()); err != nil {
		return s, false, err
	}
	if id := d.m.fixed.Of(d.FileID(), d.Path()); id != "" {
		s, err = k.fixed(ctx, id, spec)
		return s, false, err
	}
	if s, ok, err := k.servers.Session(ctx, d.FileID(), d.Path()); ok || err != nil {
		return s, false, err
	}
	s, started, err = kernel.FindOrStart(ctx, k.servers.Runtime, d.Path(), "", kernel.Wish{
		Spec: cmp.Or(spec, k.name()), Language: k.Language(), Instead: k.link.Instead,
	})
	if err == nil {
		k.servers.Take(d.FileID(), s)
	}
	return s, started, err
}

// fixed finds the kernel that the notebook is tied to. If neither has a session, the notebook gets one, so that open tabs
// share the kernel.
func (k *NotebookKernel) fixed(ctx context.Context, id, spec string) (s jupyter.Session, err error) {
	path, srv := k.d.Path(), k.servers.Runtime
	if s.Kernel, err = k.d.m.fixed.LookUp(ctx, srv, path, id); err != nil {
		return s, err
	}
	if spec != "" && spec != s.Kernel.Name {
		return s, fmt.Errorf("the kernel of %s cannot be changed to %q: %w, which runs %q", path, spec, kernel.ErrFixed, s.Kernel.Name)
	}
	sessions, err := srv.Sessions.List(ctx)
	if err != nil {
		return s, fmt.Errorf("find the kernel of %s: %w", path, err)
	}
	vacant := true
	for _, one := range sessions {
		switch {
		case one.Path == path && one.Kernel.ID == id:
			return one, nil
		case one.Path == path && k.d.current().server.runsCells():
			return s, fmt.Errorf("%w, %q, but its Jupyter session has the kernel %q: choose it in JupyterLab, or start nbduet without --runtime-id",
				kernel.ErrFixed, id, one.Kernel.ID)
		case one.Path == path || one.Kernel.ID == id:
			vacant = false
		}
	}
	if !vacant {
		return s, nil
	}
	return k.take(ctx, id)
}

// take makes a Jupyter session for the notebook with a running kernel, or returns its existing session.
func (k *NotebookKernel) take(ctx context.Context, id string) (jupyter.Session, error) {
	s, err := k.servers.Runtime.Sessions.Create(ctx, jupyter.NewSession{Path: k.d.Path(), Name: k.d.Path().Name(), KernelID: id})
	if err != nil {
		return s, fmt.Errorf("give %s the kernel %q: %w", k.d.Path(), id, err)
	}
	k.servers.Take(k.d.FileID(), s)
	return s, nil
}

// Reattach connects the room to its kernel's new process, if the server runs the cells: it does not notice a new process by
// itself.
func (k *NotebookKernel) Reattach(ctx context.Context, s jupyter.Session) {
	if !k.d.current().server.runsCells() {
		return
	}
	if err := k.servers.Runtime.Sessions.AttachKernel(ctx, s.ID, s.Kernel.ID); err != nil {
		k.d.m.log.Warn("the notebook's room was not connected to its restarted kernel", "path", k.d.Path(), "error", err)
	}
}

// moved renames the notebook's Jupyter session.
func (k *NotebookKernel) moved(ctx context.Context, from, to jupyter.Path) {
	if k.servers.Runtime == nil {
		return
	}
	for _, err := range k.servers.Move(ctx, from, to) {
		k.d.m.log.Warn("the kernel session of a renamed notebook was not renamed", "path", to, "error", err)
	}
}
