package awareness

import (
	"bytes"
	"encoding/json"

	"github.com/nbduet/nbduet/ydoc/pyjson"
	"github.com/nbduet/nbduet/ydoc/wire"
)

// EncodeUpdate encodes announcements (y-protocols, encodeAwarenessUpdate): their number, and for each the client, the
// clock and the state as a string of JSON, null for a nil Raw.
func EncodeUpdate(states []State) []byte {
	b := wire.AppendUint(nil, uint64(len(states)))
	for _, s := range states {
		b = wire.AppendUint(wire.AppendUint(b, s.ClientID), s.Clock)
		if s.Raw == nil {
			b = wire.AppendVarString(b, "null")
		} else {
			b = wire.AppendVarBytes(b, s.Raw)
		}
	}
	return b
}

// ParseUpdate decodes announcements and copies the data it keeps. It is strict: lengths, UTF-8, JSON and limits must
// be valid without trailing bytes; else the error is a *[wire.FormatError]. A state may be any JSON value.
func ParseUpdate(update []byte, lim wire.Limits) ([]State, error) {
	if len(update) > lim.AwarenessBytes {
		return nil, limitError("%d bytes, at most %d are allowed", len(update), lim.AwarenessBytes)
	}
	r := wire.NewReader("awareness update", update)
	n := r.Uint()
	if n > uint64(max(lim.AwarenessClients, 0)) {
		return nil, limitError("%d clients, at most %d are allowed", n, lim.AwarenessClients)
	}
	if n > uint64(r.Len()/3) { // each takes at least three bytes
		r.Fail(wire.ReasonTruncated, "%d clients are announced, %d bytes are left", n, r.Len())
		return nil, r.Err()
	}
	states := make([]State, 0, n)
	for range n {
		s, err := parseState(r, lim)
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, r.End()
}

func parseState(r *wire.Reader, lim wire.Limits) (State, error) {
	s := State{ClientID: r.Uint()}
	if s.Clock = r.Uint(); s.Clock > maxClock {
		r.Fail(wire.ReasonOverflow, "client %d has the clock %d, at most %d is allowed", s.ClientID, s.Clock, uint64(maxClock))
	}
	raw := pyjson.Standard(r.VarString(lim.AwarenessStateBytes)) // a Python peer may write NaN
	if err := r.Err(); err != nil {
		return State{}, err
	}
	if !json.Valid(raw) {
		r.Fail(wire.ReasonJSON, "the state of client %d: %.60q", s.ClientID, raw)
		return State{}, r.Err()
	}
	if !isNull(raw) {
		s.Raw = bytes.Clone(raw)
	}
	return s, nil
}

func isNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }
