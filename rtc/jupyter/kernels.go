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

// KernelSpecs are the kernels that can be started.
type KernelSpecs struct {
	// Default is the name of the one that is started if none is named.
	Default string                `json:"default"`
	Specs   map[string]KernelSpec `json:"kernelspecs"`
}

// KernelSpec is one kernel that can be started.
type KernelSpec struct {
	Name string `json:"name"`
	Spec struct {
		DisplayName string `json:"display_name"`
		Language    string `json:"language"`
		// Env is set for the kernel's process, beside what the server has.
		Env map[string]string `json:"env"`
	} `json:"spec"`
	// Resources are the addresses of its files, such as logos, by name; paths on the server.
	Resources map[string]string `json:"resources"`
	// ResourceDir is the folder of these files on the server's disk. Jupyter's own handler leaves it out; a manager of
	// kernelspecs that makes the answer itself, as one of a gateway may, can tell it.
	ResourceDir string `json:"resource_dir"`
}

// ResourcePath is the folder on the server's disk that has the kernel's resources or, where the server does not tell it, the
// path on the server under which they are served.
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

// Specs lists the kernels that can be started.
func (k Kernels) Specs(ctx context.Context) (KernelSpecs, error) {
	return ask[KernelSpecs](ctx, k.client, call{op: "list kernelspecs", path: "/api/kernelspecs"})
}

// List lists the running kernels.
func (k Kernels) List(ctx context.Context) ([]Kernel, error) {
	return list[Kernel](ctx, k.client, call{op: "list kernels", path: "/api/kernels"})
}

// Get reads one kernel; ErrNotFound once it is shut down.
//
// It looks for it in the list first. A server whose kernels are a gateway's asks the gateway for a list alone: of one kernel
// it tells what it has last heard so, be that hours old, or of a gateway that was started again and has it no longer.
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

// Start starts a kernel that belongs to no session; an empty name starts the server's default. Its working
// folder is a path of the Contents API; "" is the root. A server that runs kernels elsewhere ignores the folder.
func (k Kernels) Start(ctx context.Context, name string, folder Path) (Kernel, error) {
	body := map[string]string{"path": folder.p}
	if name != "" {
		body["name"] = name
	}
	out, err := ask[Kernel](ctx, k.client, call{op: "start kernel", about: name, method: http.MethodPost, path: "/api/kernels", body: body, timeout: kernelTimeout})
	return out, noKernel(err)
}

// noKernel is the error of a request that starts a kernel.
func noKernel(err error) error {
	var e *Error
	if errors.As(err, &e) && errors.Is(e.kind, ErrServer) && e.fault.Code == "" {
		return e.of(faults.NoKernel, faults.Values{})
	}
	return err
}

// Shutdown ends a kernel; its sessions go with it.
func (k Kernels) Shutdown(ctx context.Context, id string) error {
	return k.client.do(ctx, call{op: "shut down kernel", about: id, method: http.MethodDelete, path: kernelPath(id)}, nil)
}

// Interrupt interrupts what the kernel is running; it returns before the kernel has stopped.
func (k Kernels) Interrupt(ctx context.Context, id string) error {
	return k.client.do(ctx, call{op: "interrupt kernel", about: id, method: http.MethodPost, path: kernelPath(id) + "/interrupt"}, nil)
}

// Restart restarts a kernel: its id stays, its memory is lost, and what it was running never answers.
func (k Kernels) Restart(ctx context.Context, id string) (Kernel, error) {
	out, err := ask[Kernel](ctx, k.client, call{op: "restart kernel", about: id, method: http.MethodPost, path: kernelPath(id) + "/restart", timeout: kernelTimeout})
	if errors.Is(err, ErrServer) {
		// The server fails in the same way for a kernel that it does not have.
		if _, gone := k.Get(ctx, id); errors.Is(gone, ErrNotFound) || errors.Is(gone, ErrNoGateway) {
			err = gone
		}
	}
	return out, err
}

// Dial opens a kernel's channels websocket. A sessionID already connected is taken over: the older socket is
// closed, and messages that came while no socket was there are delivered, if no other client was connected either. The
// server answers when the kernel has started. The connection accepts messages of up to 256 MiB.
func (k Kernels) Dial(ctx context.Context, kernelID, sessionID string) (*websocket.Conn, error) {
	q := url.Values{}
	if sessionID != "" {
		q.Set("session_id", sessionID)
	}
	conn, err := k.client.dial(ctx, "connect to kernel", kernelID, kernelPath(kernelID)+"/channels", q, kernelTimeout, KernelProtocol)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		// A websocket handler answers even this with an HTML page.
		e.kind, e.Message, e.Hint, e.fault = ErrNotFound, "there is no such kernel", "", faults.Fault{}
		_, gone := k.Get(ctx, kernelID)
		err = e.swallowed(k.client, gone == nil)
	}
	return conn, err
}

func kernelPath(id string) string { return "/api/kernels/" + url.PathEscape(id) }
