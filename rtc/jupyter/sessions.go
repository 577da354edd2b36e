package jupyter

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"
)

// Session is a Jupyter session: it connects a path to a kernel.
type Session struct {
	ID     string `json:"id"`
	Path   Path   `json:"path"`
	Name   string `json:"name"`
	Type   string `json:"type"` // "notebook", "console", "file"
	Kernel Kernel `json:"kernel"`
}

// NewSession describes a session for [Sessions.Create].
type NewSession struct {
	// Path is a contents path; if it has a session, that one is returned.
	Path Path
	// Name is shown to people; a notebook's is its file name.
	Name string
	// Type is "notebook" if empty.
	Type string
	// KernelName selects a kernelspec, KernelID an existing kernel; if both are empty the server's default is started.
	KernelName, KernelID string
}

// Sessions connects the paths of a server to its kernels.
type Sessions struct{ client *Client }

// List lists the server's sessions.
func (s Sessions) List(ctx context.Context) ([]Session, error) {
	return list[Session](ctx, s.client, call{op: "list sessions", path: "/api/sessions"})
}

// Create returns the session of a path; if the path has no session, it creates one with a kernel.
func (s Sessions) Create(ctx context.Context, n NewSession) (Session, error) {
	kernel := map[string]any{"name": nil}
	if n.KernelName != "" {
		kernel["name"] = n.KernelName
	}
	if n.KernelID != "" {
		kernel["id"] = n.KernelID
	}
	out, err := ask[Session](ctx, s.client, call{
		op: "create session for", about: n.Path.p, method: http.MethodPost, path: "/api/sessions",
		body: map[string]any{"path": n.Path, "name": n.Name, "type": cmp.Or(n.Type, "notebook"), "kernel": kernel}, timeout: kernelTimeout,
	})
	return out, noKernel(err)
}

// Patch gives a session another path and name, as after a rename of the file.
func (s Sessions) Patch(ctx context.Context, id string, path Path, name string) (Session, error) {
	body := map[string]any{"path": path}
	if name != "" {
		body["name"] = name
	}
	return ask[Session](ctx, s.client, patchSession("change session", id, body, 0))
}

// ChangeKernel gives a session a new kernel with another kernelspec, and shuts the former one down. It returns when
// both are done.
func (s Sessions) ChangeKernel(ctx context.Context, id, kernelName string) (Session, error) {
	body := map[string]any{"kernel": map[string]any{"name": kernelName}}
	return ask[Session](ctx, s.client, patchSession("change kernel of session", id, body, kernelTimeout))
}

func patchSession(op, id string, body map[string]any, timeout time.Duration) call {
	return call{op: op, about: id, method: http.MethodPatch, path: "/api/sessions/" + url.PathEscape(id), body: body, timeout: timeout}
}
