package wire

import "encoding/json"

// The types of RAW messages (jupyter-collaboration, handlers.py).
const (
	// RawSave asks the server to save, or answers such a request.
	RawSave = "save"
	// RawConflict says that an update does not fit the room's document, whose history is another one.
	RawConflict = "conflict"
)

// The answers to a save request. Saved says that the save was tried, not that the file was written.
const (
	Saved       = "success"
	SaveSkipped = "skipped"
	SaveFailed  = "failed"
)

// RawMessage is a decoded RAW frame.
type RawMessage struct {
	// Type is RawSave, RawConflict, or another word that the peer used.
	Type string `json:"type"`
	// Request is true for a client's request, false for a server's message.
	Request bool `json:"-"`
	// ResponseTo is the id of the request that an answer answers; in a save request, that request's id.
	ResponseTo uint64 `json:"responseTo"`
	// Status is Saved, SaveSkipped or SaveFailed in an answer.
	Status string `json:"status"`
}

// ParseRaw decodes the frame of Kind [Raw] in either direction. Messages of other types are returned by their type
// alone. What is not a RAW message is a *[FormatError].
func ParseRaw(f Frame) (RawMessage, error) {
	if f.Kind != Raw {
		return RawMessage{}, &FormatError{What: "raw message", Reason: ReasonShape, Detail: "the frame is of kind " + f.Kind.String()}
	}
	if len(f.Raw) == 0 || f.Raw[0] != '{' {
		m := RawMessage{Type: f.Raw, Request: true}
		if f.Raw != RawSave {
			return m, nil
		}
		r := Reader{b: f.Payload, what: "save request"}
		m.ResponseTo = r.Uint()
		return m, r.End()
	}
	var m RawMessage
	if err := json.Unmarshal([]byte(f.Raw), &m); err != nil {
		return RawMessage{}, &FormatError{What: "raw message", Reason: ReasonJSON, Detail: err.Error()}
	}
	return m, nil
}

// AppendSave appends a frame that asks the server to save. The answer carries id, which is at most [MaxInt].
func AppendSave(dst []byte, id uint64) []byte {
	return AppendUint(AppendVarString(append(dst, messageRaw), RawSave), id)
}

// AppendRaw appends a server's RAW frame with the given JSON text.
func AppendRaw(dst []byte, text string) []byte {
	return AppendVarString(append(dst, messageRaw), text)
}
