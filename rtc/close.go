package rtc

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Action is what the caller can do about a room that has ended.
type Action int

// The actions.
const (
	// Rejoin: the session continues; connect again with the same replica.
	Rejoin Action = iota
	// Discard: discard the replica and join again with an empty one. Unconfirmed edits were not made, except as
	// [CloseError.Unsure] says.
	Discard
	// GiveUp: joining again cannot help.
	GiveUp
)

// Code is the reason why a room ended, as a word that callers can compare.
type Code string

// The codes of a CloseError.
const (
	CodeLeft       Code = "left"            // the room was left on purpose
	CodeConnection Code = "connection lost" // the socket broke, or was silent too long
	CodeSession    Code = "other session"   // the server has another session than ours
	CodeHistory    Code = "other history"   // the room has lost edits that it had confirmed
	CodeConflict   Code = "conflict"        // the server could not apply our update
	CodeReplica    Code = "broken replica"  // our replica is broken
	CodeNotFound   Code = "not found"       // the file is gone
	CodeInvalid    Code = "invalid file"    // the server cannot read the file as its type
	CodeNotLoaded  Code = "not loaded"      // the server cannot load the file into a room
	CodeRefused    Code = "refused"         // the server refuses us
	CodeUnreadable Code = "unreadable"      // the room sends data that we cannot accept
	CodeGap        Code = "incomplete"      // the room itself lacks a part of its document
)

// ErrLeft is matched by the error of a room that was left on purpose.
var ErrLeft = jupyter.Fixed("the room was left")

// CloseError describes why a room ended and what can be done about it.
type CloseError struct {
	Code   Code
	Action Action
	Reason string // the server's words, if it gave any
	Err    error  // the underlying error, or nil
	// Refusals counts the server's refusals, for [CodeNotLoaded].
	Refusals int
	// Unsure is set if the room may have taken edits that it had not confirmed when it was lost. If it is not set,
	// those edits were not made.
	Unsure bool

	wordless bool // the server closed the connection before it sent anything
}

// Kind returns the code, without the reason.
func (e *CloseError) Kind() string { return "room closed: " + string(e.Code) }

// Error returns the reason, on one line.
func (e *CloseError) Error() string {
	s := "room closed: " + string(e.Code)
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the underlying error.
func (e *CloseError) Unwrap() error { return e.Err }

// IsLost reports whether err is that of a room whose document can be joined again with an empty replica.
func IsLost(err error) bool {
	var end *CloseError
	return errors.As(err, &end) && end.Action == Discard
}

// Is reports that a left room's error matches ErrLeft.
func (e *CloseError) Is(target error) bool { return target == ErrLeft && e.Code == CodeLeft }

// Websocket close codes of jupyter-collaboration beyond the standard ones: 4000 plus the HTTP status of the failure.
const (
	closeBadRequest  = 4400
	closeNotFound    = 4404
	closeServerError = 4500
)

// closeReason translates the end of a websocket into a CloseError (jupyter_server_ydoc handlers.py: 1003 with a JSON
// reason, 44xx and 4500 with a text; jupyter-server-documents: 4001, 4002).
func closeReason(err error) *CloseError {
	if errors.Is(err, websocket.ErrReadLimit) {
		return &CloseError{Code: CodeUnreadable, Action: GiveUp, Reason: "it sends messages that are too long to accept", Err: err}
	}
	var ce *websocket.CloseError
	if !errors.As(err, &ce) {
		return &CloseError{Code: CodeConnection, Action: Rejoin, Err: err}
	}
	switch ce.Code {
	case websocket.CloseUnsupportedData:
		var why struct {
			Reason      string `json:"reason"`
			ErrorReason string `json:"errorReason"`
		}
		if json.Unmarshal([]byte(ce.Text), &why) != nil {
			return &CloseError{Code: CodeRefused, Action: GiveUp, Reason: ce.Text}
		}
		reason := why.Reason
		if why.ErrorReason != "" {
			reason += ": " + why.ErrorReason
		}
		switch why.Reason {
		case "unknown_session", "version_mismatch":
			return &CloseError{Code: CodeSession, Action: Discard, Reason: reason}
		}
		return &CloseError{Code: CodeNotLoaded, Action: GiveUp, Reason: reason, Refusals: 1}
	case closeNotFound:
		return &CloseError{Code: CodeNotFound, Action: GiveUp, Reason: ce.Text}
	case 4001, 4002:
		return &CloseError{Code: CodeNotFound, Action: GiveUp, Reason: fmt.Sprintf("the file was moved or deleted (%d %s)", ce.Code, ce.Text)}
	case closeBadRequest:
		return &CloseError{Code: CodeInvalid, Action: GiveUp, Reason: ce.Text}
	case closeServerError:
		return &CloseError{Code: CodeNotLoaded, Action: GiveUp, Reason: ce.Text, Refusals: 1}
	}
	return &CloseError{Code: CodeConnection, Action: Rejoin, Err: err}
}
