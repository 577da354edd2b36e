package tool

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// EncodeCursor writes the place at which an answer ended; clients pass it back unchanged.
func EncodeCursor(place any) (string, error) {
	b, err := json.Marshal(place)
	if err != nil {
		return "", Fault{Err: fmt.Errorf("write a cursor: %w", err)}
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// DecodeCursor reads a cursor, and reports whether it is one.
func DecodeCursor(cursor string, place any) bool {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	return err == nil && json.Unmarshal(b, place) == nil
}
