package wire

import "encoding/json"

// The types of RAW messages (jupyter-collaboration, handlers.py).
const (
	// RawSave asks the server to save, or answers such a request.
	RawSave = "save"
	// RawConflict means that an update does not fit the room's document because their histories differ.
	RawConflict = "conflict"
)

// The answers to a save request. Saved means that the save was tried, not that the file was written.
const (
	Saved       = "success"
	SaveSkipped = "skipped"
	SaveFailed  = "failed"
)

// RawMessage is a decoded RAW frame.
type RawMessage struct {
	// Type is RawSave, RawConflict, or any other type sent by the peer.
	Type string `json:"type"`
	// Request is true for a client's request, false for a server's message.
	Request bool `json:"-"`
	// ResponseTo is the id of the answered request; in a save request, its own id.
	ResponseTo uint64 `json:"responseTo"`
	// Status is Saved, SaveSkipped or SaveFailed in an answer.
	Status string `json:"status"`
}

// ParseRaw decodes a frame of Kind [Raw] in either direction. For other types of messages only Type is set. An
// invalid RAW message is a *[FormatError].
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

// AppendSave appends a frame that asks the server to save. The answer has the same id, which is at most [MaxInt].
func AppendSave(dst []byte, id uint64) []byte {
	return AppendUint(AppendVarString(append(dst, messageRaw), RawSave), id)
}

// AppendRaw appends a server's RAW frame with the given JSON text.
func AppendRaw(dst []byte, text string) []byte {
	return AppendVarString(append(dst, messageRaw), text)
}
