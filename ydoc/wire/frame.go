package wire

// FrameKind is the kind of a room socket's frame.
type FrameKind int

// The kinds of frames (y-protocols, sync.js and awareness.js; RAW is jupyter-collaboration's own).
const (
	// Unknown is a frame whose type, or sync type, is not one of the others. Peers ignore such frames.
	Unknown FrameKind = iota
	// SyncStep1 asks for missing changes; the payload is the sender's state vector.
	SyncStep1
	// SyncStep2 answers a SyncStep1; the payload is an update.
	SyncStep2
	// Update carries a change; the payload is an update.
	Update
	// Awareness carries an awareness update.
	Awareness
	// Raw carries a message specific to jupyter-collaboration: see [ParseRaw].
	Raw
)

var kindNames = [...]string{
	Unknown: "unknown", SyncStep1: "sync step 1", SyncStep2: "sync step 2", Update: "update", Awareness: "awareness", Raw: "raw",
}

// String returns the name of the kind, for logs.
func (k FrameKind) String() string { return kindNames[k] }

// The first bytes of frames.
const (
	messageSync      = 0
	messageAwareness = 1
	messageRaw       = 2
	syncStep1        = 0
	syncStep2        = 1
	syncUpdate       = 2
)

// Frame is one decoded binary frame of a room socket.
type Frame struct {
	Kind FrameKind
	// Payload is the state vector of a SyncStep1, the update of a SyncStep2 or Update, the awareness update of an
	// Awareness, or the bytes after the text of a Raw frame. It is part of the parsed input and unchecked: see
	// [CheckStateVector], [CheckUpdate].
	Payload []byte
	// Raw is the text of a Raw frame.
	Raw string
}

// ParseFrame decodes a binary frame. A frame of an unknown type has Kind [Unknown] and is not an error; an empty
// frame, or one of a known type that is truncated, too large or followed by further bytes, is a *[FormatError].
func ParseFrame(b []byte, lim Limits) (Frame, error) {
	r := Reader{b: b, what: "frame"}
	var f Frame
	switch r.Uint() {
	case messageSync:
		f = parseSync(&r, lim)
	case messageAwareness:
		f = Frame{Kind: Awareness, Payload: r.VarBytes(lim.AwarenessBytes)}
	case messageRaw:
		f = Frame{Kind: Raw, Raw: string(r.VarString(lim.RawBytes))}
		f.Payload = r.Take(r.Len())
	}
	if r.err == nil && f.Kind == Unknown {
		return Frame{}, nil
	}
	if err := r.End(); err != nil {
		return Frame{}, err
	}
	return f, nil
}

func parseSync(r *Reader, lim Limits) Frame {
	switch r.Uint() {
	case syncStep1:
		// A client and a clock take at most 16 bytes, the count at most 8.
		return Frame{Kind: SyncStep1, Payload: r.VarBytes(16*lim.Clients + 8)}
	case syncStep2:
		return Frame{Kind: SyncStep2, Payload: r.VarBytes(lim.UpdateBytes)}
	case syncUpdate:
		return Frame{Kind: Update, Payload: r.VarBytes(lim.UpdateBytes)}
	default:
		return Frame{}
	}
}

// AppendSyncStep1 appends a frame that asks for the changes missing at a peer with the state vector sv.
func AppendSyncStep1(dst, sv []byte) []byte {
	return AppendVarBytes(append(dst, messageSync, syncStep1), sv)
}

// AppendSyncStep2 appends a frame that answers a SyncStep1 with update.
func AppendSyncStep2(dst, update []byte) []byte {
	return AppendVarBytes(append(dst, messageSync, syncStep2), update)
}

// AppendUpdate appends a frame that carries a change.
func AppendUpdate(dst, update []byte) []byte {
	return AppendVarBytes(append(dst, messageSync, syncUpdate), update)
}

// AppendAwareness appends a frame that carries an awareness update.
func AppendAwareness(dst, update []byte) []byte {
	return AppendVarBytes(append(dst, messageAwareness), update)
}
