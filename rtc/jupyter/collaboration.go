package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// CollabSession holds the data that a client needs to join a file's room.
type CollabSession struct {
	Format string `json:"format"`
	Type   string `json:"type"`
	// FileID names the file for as long as the server's file id database lives, across restarts.
	FileID string `json:"fileId"`
	// SessionID is one per server process: if it has changed, the room may have another history.
	SessionID string `json:"sessionId"`
	// Documents is set if the room is one of jupyter-server-documents, which has no sessions: SessionID is empty, and
	// nothing shows whether the room still has the same history.
	Documents bool `json:"-"`
}

// RoomID returns the name of the file's room.
func (c CollabSession) RoomID() string { return c.Format + ":" + c.Type + ":" + c.FileID }

// Rooms finds and joins the collaboration rooms of a server.
type Rooms struct{ client *Client }

// Session requests the room of a file: format and type are "json" and "notebook" for notebooks, "text" and "file" for
// text. The server does not check that the file exists, so read its contents model first and use that path.
//
// With jupyter-server-documents instead of jupyter-collaboration the answer's Documents is set; a server with neither
// gives ErrNoCollaboration. A missing file gives ErrNotFound on servers that check.
func (r Rooms) Session(ctx context.Context, path Path, format, typ string) (CollabSession, error) {
	const op = "open the collaboration session of"
	if path.IsRoot() {
		return CollabSession{}, &Error{Op: op, err: errors.New("the root folder has no room: name a file"), kind: ErrBadPath}
	}
	out, err := ask[CollabSession](ctx, r.client, call{
		op: op, about: path.p, method: http.MethodPut, path: "/api/collaboration/session/" + path.Escaped(),
		body: map[string]string{"format": format, "type": typ},
	})
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound && errors.Is(e, ErrNotJupyter) {
		if out, ok := r.documentsSession(ctx, op, path, format, typ); ok {
			return out, nil
		}
		return CollabSession{}, r.none(ctx, e, path)
	}
	if err != nil {
		return CollabSession{}, err
	}
	if out.FileID == "" || out.SessionID == "" {
		return CollabSession{}, &Error{Op: op, Path: path.p, kind: ErrNotJupyter, Message: "the answer lacks the fileId or the sessionId"}
	}
	return out, nil
}

// none explains a 404 of the session endpoint.
func (r Rooms) none(ctx context.Context, e *Error, path Path) error {
	if _, err := r.client.health().Version(ctx); err != nil {
		return e // the whole address is wrong
	}
	out := &Error{Op: e.Op, Path: path.p, Status: e.Status, kind: ErrNoCollaboration}
	return r.client.withRole(r.lacking(ctx, out))
}

// lacking says why a server has no rooms for us: it has none, or those of JupyterLab 3.
func (r Rooms) lacking(ctx context.Context, e *Error) error {
	if old, _ := r.endpoint(ctx, "/api/yjs/roomid/x"); old { // an error does not show that it has them
		return e.of(faults.OldCollaboration, faults.Values{Detail: "it is that of JupyterLab 3"})
	}
	return e.of(faults.NoCollaboration, faults.Values{})
}

// endpoint reports whether a server has an endpoint that does not accept GET. The error is that of an unreachable
// server.
func (r Rooms) endpoint(ctx context.Context, path string) (bool, error) {
	err := r.client.do(ctx, call{op: "look for rooms", path: path}, nil)
	var e *Error
	if errors.As(err, &e) && e.Status != 0 {
		return e.Status == http.StatusMethodNotAllowed, nil
	}
	return false, err
}

// Available reports whether a server has rooms, of either kind. The error is that of an unreachable server.
func (r Rooms) Available(ctx context.Context) (bool, error) {
	if rooms, err := r.endpoint(ctx, "/api/collaboration/session/x"); rooms || err != nil {
		return rooms, err
	}
	return r.endpoint(ctx, "/api/fileid/index") // jupyter-server-documents
}

// Check checks, without changing anything, that a server has rooms, that websockets reach it, and that people's tabs
// use the rooms. Its error is that of a first start, see package faults: the server is missing or refuses us, it has
// no rooms, they are too old, they cannot be joined, or tabs do not use them.
func (r Rooms) Check(ctx context.Context) error {
	status, err := r.client.health().Status(ctx)
	if err != nil {
		return err
	}
	switch rooms, err := r.Available(ctx); {
	case err != nil:
		return err
	case !rooms:
		return r.client.withRole(r.lacking(ctx, &Error{Op: "look for real-time collaboration on", Path: r.client.BaseURL(), kind: ErrNoCollaboration}))
	}
	if err := r.client.health().tryWebsockets(ctx, status); err != nil {
		return err
	}
	trouble, err := r.client.health().CheckTabs(ctx)
	if err == nil && trouble.Code != "" {
		return trouble
	}
	return err
}

// FilePath returns the current path of a file id; ErrNotFound if the id is unknown or the file is outside this
// server's root.
func (r Rooms) FilePath(ctx context.Context, fileID string) (Path, error) {
	var out struct {
		Path Path `json:"path"`
	}
	err := r.client.do(ctx, call{op: "look up the path of file id", about: fileID, path: "/api/fileid/path", query: url.Values{"id": {fileID}}}, &out)
	return out.Path, err
}

// Dial opens the websocket of a room. roomID is "format:type:fileId", or the name of a room that lives in memory
// only, which needs no session. The connection accepts messages of up to 256 MiB; SetReadLimit changes that.
//
// The colons of the id are not escaped: escaped ones would silently name another, empty room.
func (r Rooms) Dial(ctx context.Context, roomID, sessionID string) (*websocket.Conn, error) {
	q := url.Values{}
	if sessionID != "" {
		q.Set("sessionId", sessionID)
	}
	conn, err := r.client.dial(ctx, "join room", roomID, "/api/collaboration/room/"+url.PathEscape(roomID), q, defaultTimeout)
	var e *Error
	if errors.As(err, &e) {
		switch e.Status {
		case http.StatusNotFound:
			e.kind, e.Message = ErrNoCollaboration, "the server has no rooms"
			rooms, _ := r.Available(ctx)
			err = e.of(faults.NoCollaboration, faults.Values{}).swallowed(r.client, rooms)
		case http.StatusInternalServerError:
			// The server answers this for an unknown file id, also a former one.
			e.kind, e.Hint, e.fault = ErrNotFound, "the file may have been deleted: ask for its collaboration session again", faults.Fault{}
		}
	}
	return conn, err
}

// RoomState is the state of a file's room as seen from outside.
type RoomState struct {
	// FileID is the server's id of the file, "" if it has none yet.
	FileID string
	// Closed is set if the server has no such room in memory: no client is in it, and none has been recently. It is not
	// set if the server does not report it.
	Closed bool
}

// LookInto checks whether the room of a file is in memory, without making a room or a file id.
//
// A file without an id has no room. The room of a file with an id shows only in the answer to a request to fork it:
// if the room is missing, the server answers 404 before it looks at the request's body. The body is not a valid
// description of a fork, so an existing room is not forked either; the server's log then has an error.
func (r Rooms) LookInto(ctx context.Context, path Path, format, typ string) RoomState {
	var file struct {
		ID string `json:"id"`
	}
	err := r.client.do(ctx, call{op: "look up the file id of", about: path.p, path: "/api/fileid/id", query: url.Values{"path": {path.p}}}, &file)
	if err != nil || file.ID == "" {
		return RoomState{Closed: errors.Is(err, ErrNotFound)}
	}
	id := CollabSession{Format: format, Type: typ, FileID: file.ID}.RoomID()
	err = r.client.do(ctx, call{
		op: "look for the room of", about: path.p, method: http.MethodPut, path: "/api/collaboration/fork/" + id, body: []string{},
	}, nil)
	return RoomState{FileID: file.ID, Closed: errors.Is(err, ErrNotFound)}
}
