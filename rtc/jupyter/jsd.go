package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// ErrDetached means that a notebook's room is not connected to its kernel; see [Kernels.ExecuteCell].
var ErrDetached = Fixed("the room is not connected to its kernel")

// jupyter-server-documents is the other implementation of rooms. It has no sessions: a room's name comes from the
// file's id, which POST api/fileid/index returns, and each time the server makes a room, the room has a new history.
// It runs cells itself (its execution_handlers.py) and has no endpoint to read a run: the outcome is in the room
// only.

// documentsSession makes the session of a server with jupyter-server-documents; it returns false if the server lacks
// it.
func (r Rooms) documentsSession(ctx context.Context, op string, path Path, format, typ string) (CollabSession, bool) {
	var out struct {
		ID string `json:"id"`
	}
	err := r.client.do(ctx, call{
		op: op, about: path.p, method: http.MethodPost, path: "/api/fileid/index", query: url.Values{"path": {path.p}},
	}, &out)
	if err != nil || out.ID == "" {
		return CollabSession{}, false
	}
	return CollabSession{Format: format, Type: typ, FileID: out.ID, Documents: true}, true
}

// ExecuteCell makes jupyter-server-documents run a code cell of an open room, after the cells that it already runs
// there. It returns when the cell is queued, its outputs are cleared and its execution state is "running". source is
// the source known to the caller; ErrConflict means that the room has another one. On ErrDetached call
// [Sessions.AttachKernel].
func (k Kernels) ExecuteCell(ctx context.Context, kernelID, roomID, cellID, source string) error {
	err := k.client.do(ctx, call{
		op: "run cell", about: cellID, method: http.MethodPost, path: kernelPath(kernelID) + "/execute",
		body: map[string]any{
			"document_id": roomID,
			"cells":       []any{map[string]any{"cell_id": cellID, "source_hash": sourceHash(source)}},
		},
		timeout: kernelTimeout,
	}, nil)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusBadRequest &&
		(strings.Contains(e.Message, "not connected to a kernel") || strings.Contains(e.Message, "worker is not running")) {
		e.kind = ErrDetached
	}
	return err
}

// AttachKernel gives a session a kernel, which may be its present one. jupyter-server-documents then reconnects the
// notebook's room to it, and drops the cells that it was running there.
func (s Sessions) AttachKernel(ctx context.Context, sessionID, kernelID string) error {
	body := map[string]any{"kernel": map[string]any{"id": kernelID}}
	return s.client.do(ctx, patchSession("attach kernel to session", sessionID, body, kernelTimeout), nil)
}

// sourceHash is MurmurHash2 (Austin Appleby, 32 bits, seed 0) of the UTF-8 bytes, in decimal. With it the server
// checks that the caller has seen the source that it is about to run.
func sourceHash(source string) string {
	const m = 0x5bd1e995
	b := []byte(source)
	h := uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		k *= m
		k ^= k >> 24
		k *= m
		h = h*m ^ k
	}
	if len(b) > 0 {
		for i, c := range b {
			h ^= uint32(c) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return strconv.FormatUint(uint64(h), 10)
}
