package kernel

import (
	"encoding/json"
	"strings"
)

// Event is one of the types below: a kernel's message about a running request. Data and metadata hold plain JSON
// values: string, bool, nil, int, float64, pyjson.Number, []any, map[string]any.
type Event interface{ event() }

// Stream is printed text. Name is "stdout" or "stderr".
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Display is a shown value: a bundle of representations by MIME type.
type Display struct {
	Data, Metadata map[string]any
	// DisplayID names a display that can be updated later; empty if it cannot.
	DisplayID string
	// Update changes the display of that name instead of showing a new one.
	Update bool
}

// Result is the value of the code's last expression, with the execution count.
type Result struct {
	Count          int
	Data, Metadata map[string]any
	DisplayID      string
}

// Error is an exception that the code did not catch. Traceback lines hold ANSI colour sequences.
type Error struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// Error implements error.
func (e Error) Error() string {
	if e.Value == "" {
		return e.Name
	}
	return e.Name + ": " + e.Value
}

// ClearOutput removes the outputs so far; with Wait, when the next one comes.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Input reports that the code begins to run, as number Count.
type Input struct {
	Count int `json:"execution_count"`
}

// InputRequest reports that the code waits for a line of input, see [Conn.Input].
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// Status is the kernel's state for this request: "busy", then "idle".
type Status struct{ State string }

// RateLimited reports that the server dropped output of this request because too much came at once. Text is the server's
// explanation. More may have been dropped since, until the request ends.
type RateLimited struct{ Text string }

// Model is the initial state of a widget's model, or a change of it.
type Model struct {
	ID    string
	State map[string]any
}

// Gap reports that the connection was lost and is back: the messages in between come only if no other client was connected
// to the kernel.
type Gap struct{}

func (Stream) event()       {}
func (Display) event()      {}
func (Result) event()       {}
func (Error) event()        {}
func (ClearOutput) event()  {}
func (Input) event()        {}
func (InputRequest) event() {}
func (Status) event()       {}
func (RateLimited) event()  {}
func (Model) event()        {}
func (Gap) event()          {}

// decodeEvent returns the event of a message on the iopub or stdin channel, or nil for messages that nbduet ignores. A
// content that does not fit its type is an error.
func decodeEvent(m incoming) (Event, error) {
	switch m.header.Type {
	case "stream":
		return decode[Stream](m.content)
	case "display_data", "update_display_data", "execute_result":
		var c struct {
			Count     int     `json:"execution_count"`
			Data      mapping `json:"data"`
			Metadata  mapping `json:"metadata"`
			Transient struct {
				DisplayID string `json:"display_id"`
			} `json:"transient"`
		}
		err := json.Unmarshal(m.content, &c)
		if m.header.Type == "execute_result" {
			return Result{Count: c.Count, Data: c.Data, Metadata: c.Metadata, DisplayID: c.Transient.DisplayID}, err
		}
		return Display{
			Data: c.Data, Metadata: c.Metadata, DisplayID: c.Transient.DisplayID, Update: m.header.Type == "update_display_data",
		}, err
	case "error":
		return decode[Error](m.content)
	case "clear_output":
		return decode[ClearOutput](m.content)
	case "execute_input":
		return decode[Input](m.content)
	case "input_request":
		return decode[InputRequest](m.content)
	case "comm_open", "comm_msg":
		var c struct {
			ID   string `json:"comm_id"`
			Data struct {
				State mapping `json:"state"`
			} `json:"data"`
		}
		if json.Unmarshal(m.content, &c) == nil && len(c.Data.State) > 0 { // else it is a comm of another kind
			return Model{ID: c.ID, State: c.Data.State}, nil
		}
		return nil, nil
	default:
		return nil, nil
	}
}

// decode reads a content that has an event's fields.
func decode[E Event](content json.RawMessage) (Event, error) {
	var e E
	err := json.Unmarshal(content, &e)
	return e, err
}

// isRateNotice recognises the server's note about dropped output. A program may print the same text, but the server sends
// its note in its own session, not in the kernel's.
func isRateNotice(s Stream, from, kernelSession string) bool {
	if s.Name != "stderr" || from == kernelSession {
		return false
	}
	return strings.HasPrefix(s.Text, "IOPub data rate exceeded") || strings.HasPrefix(s.Text, "IOPub message rate exceeded")
}
