package tool

import (
	"bytes"
	"encoding/json"
)

// AsBefore is a schema one place of which is written as an earlier version wrote it, to no other effect: with a keyword
// that stands there twice, is empty, or comes in another order.
type AsBefore struct {
	Schema
	Now, Before string
}

// Raw is the schema as JSON.
func (s AsBefore) Raw() json.RawMessage {
	return bytes.Replace(s.Schema.Raw(), []byte(s.Now), []byte(s.Before), 1)
}
