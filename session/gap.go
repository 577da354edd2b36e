package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// An IncompleteError means that the room of a document lacks a part of the document, so that clients cannot read it
// completely. This happens if two servers share one store of rooms. The document then shows its file, and is not written.
type IncompleteError struct {
	Lacks string    // the missing part
	Read  time.Time // when the file was read instead; zero if it was not
}

// Kind returns "incomplete room".
func (e *IncompleteError) Kind() string { return "incomplete room" }

func (e *IncompleteError) Error() string {
	shown := "its content is unknown"
	if !e.Read.IsZero() {
		shown = "this is its file as of " + e.Read.Format("15:04:05")
	}
	return fmt.Sprintf("the shared document is damaged: its room lacks a part of it (%s), so %s and it cannot be edited or run; go on in a copy of the file, which gets its own room, or recreate the room: close the document in all tabs, stop the server, delete its room store (.jupyter_ystore.db in its working folder) and start it again", e.Lacks, shown)
}

// gapOf returns the error of a join whose room lacks a part of its document, nil for other errors.
func gapOf(err error) *IncompleteError {
	var end *rtc.CloseError
	if !errors.As(err, &end) || end.Code != rtc.CodeGap {
		return nil
	}
	gap := &IncompleteError{Lacks: "changes are missing"}
	var lacks interface{ Gap() string }
	if errors.As(end.Err, &lacks) {
		gap.Lacks = lacks.Gap()
	}
	return gap
}

// gapFor is how long a document that shows its file is used before the room is tried again.
const gapFor = 5 * time.Second

// old reports whether the room, and the file, should be tried again.
func (e *IncompleteError) old() bool { return e != nil && time.Since(e.Read) > gapFor }

// noRoom replaces the room of a document that shows its file: nothing is sent to the room, and nothing is saved.
type noRoom struct {
	session jupyter.CollabSession // of the room
	gap     *IncompleteError
	done    chan struct{} // never closed
}

func (r *noRoom) ID() string                            { return r.session.RoomID() }
func (r *noRoom) FileID() string                        { return r.session.FileID }
func (r *noRoom) SessionID() string                     { return r.session.SessionID }
func (r *noRoom) State() rtc.State                      { return rtc.Synced }
func (r *noRoom) Barrier(context.Context) error         { return nil }
func (r *noRoom) Save(context.Context) (string, error)  { return "", r.gap }
func (r *noRoom) Leave(context.Context) error           { return nil }
func (r *noRoom) LastSave(context.Context) error        { return nil }
func (r *noRoom) Depart(context.Context)                {}
func (r *noRoom) Peers() []rtc.Peer                     { return nil }
func (r *noRoom) Since() time.Time                      { return time.Time{} }
func (r *noRoom) Named(uint64) (string, bool, bool)     { return "", false, false }
func (r *noRoom) Sole() (uint64, bool)                  { return 0, false }
func (r *noRoom) SetAppearance(uint64, *rtc.Appearance) {}
func (r *noRoom) Replicas() []uint64                    { return nil }
func (r *noRoom) AutosaveOff() bool                     { return true } // disables saves
func (r *noRoom) Rename(jupyter.Path)                   {}
func (r *noRoom) WaitSynced(context.Context) error      { return nil }
func (r *noRoom) LostAt() time.Time                     { return time.Time{} }
func (r *noRoom) Quiet() time.Duration                  { return 0 }
func (r *noRoom) Done() <-chan struct{}                 { return r.done }
func (r *noRoom) Err() error                            { return nil }
