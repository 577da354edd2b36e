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

// KernelSpecs lists the kernels that can be started.
func (s *Server) KernelSpecs(ctx context.Context) (KernelSpecs, error) {
	var out KernelSpecs
	err := s.do(ctx, call{op: "list kernelspecs", path: "/api/kernelspecs"}, &out)
	return out, err
}

// Kernels lists the running kernels.
func (s *Server) Kernels(ctx context.Context) ([]Kernel, error) {
	var out []Kernel
	err := s.list(ctx, call{op: "list kernels", path: "/api/kernels"}, &out)
	return out, err
}

// Kernel reads one kernel; ErrNotFound once it is shut down.
//
// It looks for it in the list first. A server whose kernels are a gateway's asks the gateway for a list alone: of one kernel
// it tells what it has last heard so, be that hours old, or of a gateway that was started again and has it no longer.
func (s *Server) Kernel(ctx context.Context, id string) (Kernel, error) {
	var all []Kernel
	err := s.do(ctx, call{op: "read kernel", about: id, path: "/api/kernels"}, &all)
	for _, k := range all {
		if k.ID == id {
			return k, nil
		}
	}
	if errors.Is(err, ErrNoGateway) || errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return Kernel{}, err
	}
	var out Kernel
	err = s.do(ctx, call{op: "read kernel", about: id, path: kernelPath(id)}, &out)
	return out, err
}

// StartKernelIn starts a kernel that belongs to no session; an empty name starts the server's default. Its working
// folder is a path of the Contents API; "" is the root. A server that runs kernels elsewhere ignores the folder.
func (s *Server) StartKernelIn(ctx context.Context, name string, folder Path) (Kernel, error) {
	body := map[string]string{"path": folder.p}
	if name != "" {
		body["name"] = name
	}
	var out Kernel
	err := s.do(ctx, call{op: "start kernel", about: name, method: http.MethodPost, path: "/api/kernels", body: body, timeout: kernelTimeout}, &out)
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

// ShutdownKernel ends a kernel; its sessions go with it.
func (s *Server) ShutdownKernel(ctx context.Context, id string) error {
	return s.do(ctx, call{op: "shut down kernel", about: id, method: http.MethodDelete, path: kernelPath(id)}, nil)
}

// Interrupt interrupts what the kernel is running; it returns before the kernel has stopped.
func (s *Server) Interrupt(ctx context.Context, id string) error {
	return s.do(ctx, call{op: "interrupt kernel", about: id, method: http.MethodPost, path: kernelPath(id) + "/interrupt"}, nil)
}

// Restart restarts a kernel: its id stays, its memory is lost, and what it was running never answers.
func (s *Server) Restart(ctx context.Context, id string) (Kernel, error) {
	var out Kernel
	const op = "restart kernel"
	err := s.do(ctx, call{op: op, about: id, method: http.MethodPost, path: kernelPath(id) + "/restart", timeout: kernelTimeout}, &out)
	if errors.Is(err, ErrServer) {
		// The server fails in the same way for a kernel that it does not have.
		if _, gone := s.Kernel(ctx, id); errors.Is(gone, ErrNotFound) || errors.Is(gone, ErrNoGateway) {
			err = gone
		}
	}
	return out, err
}

func kernelPath(id string) string { return "/api/kernels/" + url.PathEscape(id) }
