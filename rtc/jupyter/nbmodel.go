package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// jupyter-server-nbmodel is an extension that runs code for its clients and writes the outputs into the open room of
// jupyter-collaboration. Its handlers.py has the endpoints, which are below the kernel's.

// ErrNoServerRuns is a server without jupyter-server-nbmodel.
var ErrNoServerRuns = Fixed("the server does not run cells by itself")

// ServerRun is the state of a run in the server.
type ServerRun struct {
	// Status is "queued", "running", "input" or "complete".
	Status string
	// Outcome is what the kernel's reply says, "ok" or "error" for most; "" before Status is "complete".
	Outcome string
	// Count is the execution count; nil if there is none.
	Count *int
	// Question names what the code asks where Status is "input", and Prompt and Password are what it asks.
	Question string
	Prompt   string
	Password bool
}

// The words of [ServerRun.Status].
const (
	ServerRunQueued   = "queued"
	ServerRunRunning  = "running"
	ServerRunInput    = "input"
	ServerRunComplete = "complete"
)

const hintNbmodel = "install jupyter-server-nbmodel beside Jupyter (pip install jupyter-server-nbmodel) and restart it, or leave --execute (NBDUET_EXECUTE) at auto"

// HasServerRuns tells whether the server has jupyter-server-nbmodel. It asks by a kernel that must be there.
func (k Kernels) HasServerRuns(ctx context.Context, kernelID string) (bool, error) {
	var out struct {
		Requests []struct {
			ID string `json:"request_id"`
		} `json:"requests"`
	}
	err := k.client.do(ctx, call{op: "list the runs in the server of kernel", about: kernelID, path: kernelPath(kernelID) + "/execute"}, &out)
	if errors.Is(noServerRuns(err), ErrNoServerRuns) {
		return false, nil
	}
	return err == nil, err
}

// StartServerRun has the server run code, after the code that it runs already for that kernel, and returns the run's
// id. The server writes the outputs into the cell while the room is open. ErrNoServerRuns is a server without
// jupyter-server-nbmodel, ErrNotFound one without the kernel.
func (k Kernels) StartServerRun(ctx context.Context, kernelID, code, roomID, cellID string) (id string, err error) {
	var out struct {
		ID string `json:"request_id"`
	}
	err = k.client.do(ctx, call{
		op: "run in the server the cell", about: cellID, method: http.MethodPost, path: kernelPath(kernelID) + "/execute",
		// Without the document's id the server fails when it has already marked the cell as running.
		body:    map[string]any{"code": code, "metadata": map[string]string{"cell_id": cellID, "document_id": roomID}},
		timeout: kernelTimeout,
	}, &out)
	if err != nil {
		return "", noServerRuns(err)
	}
	if out.ID == "" {
		return "", &Error{Op: "run in the server the cell", Path: cellID, kind: ErrNotJupyter, Message: "the answer has no request_id"}
	}
	return out.ID, nil
}

// ServerRun asks for the state of a run in the server. The server reports "complete" once; later, and after a restart
// of the server, the run is ErrNotFound. ErrServer, with the server's message, is a run that could not be carried out,
// or that was taken out of the queue.
func (k Kernels) ServerRun(ctx context.Context, kernelID, id string) (ServerRun, error) {
	var out struct {
		Request string `json:"request_status"`
		Status  string `json:"status"`
		Count   *int   `json:"execution_count"`
		Header  struct {
			ID string `json:"msg_id"`
		} `json:"parent_header"` // of the request for input itself, whatever its name
		Input *struct {
			Prompt   string `json:"prompt"`
			Password bool   `json:"password"`
		} `json:"input_request"`
	}
	err := k.client.do(ctx, call{
		op: "look at the run in the server", about: id, path: kernelPath(kernelID) + "/requests/" + url.PathEscape(id), choices: true,
	}, &out)
	if err != nil {
		return ServerRun{}, err
	}
	run := ServerRun{Status: out.Request, Outcome: out.Status, Count: out.Count}
	if out.Input != nil {
		run.Status, run.Question, run.Prompt, run.Password = ServerRunInput, out.Header.ID, out.Input.Prompt, out.Input.Password
	}
	return run, nil
}

// AnswerServerRun answers the input request of the run in a kernel.
func (k Kernels) AnswerServerRun(ctx context.Context, kernelID, line string) error {
	return k.client.do(ctx, call{
		op: "answer what the code asks in kernel", about: kernelID, method: http.MethodPost, path: kernelPath(kernelID) + "/input",
		body: map[string]string{"input": line},
	}, nil)
}

// noServerRuns names the missing extension if the endpoint is missing, or belongs to another extension.
func noServerRuns(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Status == http.StatusNotFound && errors.Is(e, ErrNotJupyter), e.Status == http.StatusMethodNotAllowed:
		e.kind, e.Message, e.Hint = ErrNoServerRuns, "the server does not have jupyter-server-nbmodel, which runs cells there", hintNbmodel
	}
	return err
}
