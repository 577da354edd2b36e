package jupyter

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/gorilla/websocket"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// Kernel is a running kernel.
type Kernel struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"` // of the kernelspec
	LastActivity time.Time `json:"last_activity"`
	// ExecutionState is "starting", "idle", "busy", "restarting", "dead" or, before the kernel's first message,
	// "unknown".
	ExecutionState string `json:"execution_state"`
	// Connections counts the open channels sockets.
	Connections int `json:"connections"`
}

// KernelSpecs are the kernelspecs of a server.
type KernelSpecs struct {
	// Default is the name of the kernelspec that is used if a request names none.
	Default string                `json:"default"`
	Specs   map[string]KernelSpec `json:"kernelspecs"`
}

// KernelSpec is one kernelspec.
type KernelSpec struct {
	Name string `json:"name"`
	Spec struct {
		DisplayName string `json:"display_name"`
		Language    string `json:"language"`
		// Env is set in the kernel's process, in addition to the server's environment.
		Env map[string]string `json:"env"`
	} `json:"spec"`
	// Resources are the addresses of its files, such as logos, by name; paths on the server.
	Resources map[string]string `json:"resources"`
	// ResourceDir is the folder of these files on the server's disk. Jupyter's own handler omits it; a kernelspec
	// manager that makes the answer itself, such as a gateway's, can include it.
	ResourceDir string `json:"resource_dir"`
}

// ResourcePath returns the folder of the kernel's resources on the server's disk or, if the server does not report
// it, the path on the server under which they are served.
func (k KernelSpec) ResourcePath() string {
	if k.ResourceDir != "" {
		return k.ResourceDir
	}
	if len(k.Resources) == 0 {
		return "/kernelspecs/" + url.PathEscape(k.Name)
	}
	return path.Dir(slices.Min(slices.Collect(maps.Values(k.Resources))))
}

// Kernels starts, ends and connects to the kernels of a server.
type Kernels struct{ client *Client }

// Specs lists the kernelspecs.
func (k Kernels) Specs(ctx context.Context) (KernelSpecs, error) {
	return ask[KernelSpecs](ctx, k.client, call{op: "list kernelspecs", path: "/api/kernelspecs"})
}

// List lists the running kernels.
func (k Kernels) List(ctx context.Context) ([]Kernel, error) {
	return list[Kernel](ctx, k.client, call{op: "list kernels", path: "/api/kernels"})
}

// Get reads one kernel; it returns ErrNotFound once the kernel is shut down.
//
// It looks in the list first. A server with a gateway asks the gateway for a list only: for a single kernel it
// answers from memory, which may be hours old, or describe a kernel that a restarted gateway no longer has.
func (k Kernels) Get(ctx context.Context, id string) (Kernel, error) {
	all, err := ask[[]Kernel](ctx, k.client, call{op: "read kernel", about: id, path: "/api/kernels"})
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	if errors.Is(err, ErrNoGateway) || errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return Kernel{}, err
	}
	return ask[Kernel](ctx, k.client, call{op: "read kernel", about: id, path: kernelPath(id)})
}

// Start starts a kernel without a session; an empty name starts the server's default. Its working folder is a path of
// the Contents API; "" is the root. A server that runs kernels elsewhere ignores the folder.
func (k Kernels) Start(ctx context.Context, name string, folder Path) (Kernel, error) {
	body := map[string]string{"path": folder.p}
	if name != "" {
		body["name"] = name
	}
	out, err := ask[Kernel](ctx, k.client, call{op: "start kernel", about: name, method: http.MethodPost, path: "/api/kernels", body: body, timeout: kernelTimeout})
	return out, noKernel(err)
}

// noKernel adds the fault to the error of a request that starts a kernel.
func noKernel(err error) error {
	var e *Error
	if errors.As(err, &e) && errors.Is(e.kind, ErrServer) && e.fault.Code == "" {
		return e.of(faults.NoKernel, faults.Values{})
	}
	return err
}

// Shutdown ends a kernel and its sessions.
func (k Kernels) Shutdown(ctx context.Context, id string) error {
	return k.client.do(ctx, call{op: "shut down kernel", about: id, method: http.MethodDelete, path: kernelPath(id)}, nil)
}

// Interrupt interrupts the kernel's running code; it returns before the code has stopped.
func (k Kernels) Interrupt(ctx context.Context, id string) error {
	return k.client.do(ctx, call{op: "interrupt kernel", about: id, method: http.MethodPost, path: kernelPath(id) + "/interrupt"}, nil)
}

// Restart restarts a kernel: its id stays, its memory is lost, and running requests are never answered.
func (k Kernels) Restart(ctx context.Context, id string) (Kernel, error) {
	out, err := ask[Kernel](ctx, k.client, call{op: "restart kernel", about: id, method: http.MethodPost, path: kernelPath(id) + "/restart", timeout: kernelTimeout})
	if errors.Is(err, ErrServer) {
		// The server fails in the same way for an unknown kernel.
		if _, gone := k.Get(ctx, id); errors.Is(gone, ErrNotFound) || errors.Is(gone, ErrNoGateway) {
			err = gone
		}
	}
	return out, err
}

// Dial opens a kernel's channels websocket. If sessionID is already connected, the older socket is closed, and
// messages sent while it had no socket are delivered, if no other client was connected. The server answers when the
// kernel has started. The connection accepts messages of up to 256 MiB.
func (k Kernels) Dial(ctx context.Context, kernelID, sessionID string) (*websocket.Conn, error) {
	q := url.Values{}
	if sessionID != "" {
		q.Set("session_id", sessionID)
	}
	conn, err := k.client.dial(ctx, "connect to kernel", kernelID, kernelPath(kernelID)+"/channels", q, kernelTimeout, KernelProtocol)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		// A websocket handler answers even this with an HTML page.
		e.kind, e.Message, e.Hint, e.fault = ErrNotFound, "no such kernel", "", faults.Fault{}
		_, gone := k.Get(ctx, kernelID)
		err = e.swallowed(k.client, gone == nil)
	}
	return conn, err
}

func kernelPath(id string) string { return "/api/kernels/" + url.PathEscape(id) }
