package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// An IncompleteError says that the room of a document lacks a part of the document, so that no client can read it whole:
// two servers that share one store of rooms make such ones. The document is then shown as its file is, and not written.
type IncompleteError struct {
	Lacks string    // what the room lacks
	Read  time.Time // when the file was read in its place; zero if it was not
}

// Kind is "incomplete room".
func (e *IncompleteError) Kind() string { return "incomplete room" }

func (e *IncompleteError) Error() string {
	shown := "its content cannot be told"
	if !e.Read.IsZero() {
		shown = "this is its file as of " + e.Read.Format("15:04:05")
	}
	return fmt.Sprintf("the shared document is damaged: its room lacks a part of it (%s), so %s and it cannot be edited or run; go on in a copy of the file, which gets a room of its own, or have the room made anew: close the document in all tabs, stop the server, delete its store of rooms (.jupyter_ystore.db in its working folder) and start it again", e.Lacks, shown)
}

// gapOf is the error of a join whose room lacks a part of its document, nil for another error.
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

// gapFor is how long a document that is shown as its file is, is not looked for again.
const gapFor = 5 * time.Second

// old reports whether the room, and the file, should be looked at again.
func (e *IncompleteError) old() bool { return e != nil && time.Since(e.Read) > gapFor }

// besideRoom reads the file of a notebook whose room lacks a part of it.
func (m *Manager) besideRoom(ctx context.Context, path string, k kind, gap *IncompleteError) (*live, error) {
	if k == textKind {
		return nil, gap
	}
	c, err := look(ctx, m.cfg.Server, path, jupyter.ContentsOptions{Content: true, Type: "notebook"})
	if err != nil {
		return nil, fmt.Errorf("%w; its file cannot be read either: %w", gap, err)
	}
	gap.Read = time.Now()
	nb, err := notebookOfFile(c.Content)
	if err != nil {
		return nil, fmt.Errorf("%w; its file cannot be read either: %w", gap, err)
	}
	format, typ := k.room()
	s, err := m.cfg.Server.CollaborationSession(ctx, path, format, typ)
	if err != nil {
		return nil, fmt.Errorf("%w; its room cannot be asked for: %w", gap, err)
	}
	lv := newLive(&noRoom{session: s, gap: gap, done: make(chan struct{})}, nb)
	lv.gap = gap
	return lv, nil
}

// fileCell is a cell as the Contents API gives it, with what is read of it.
type fileCell struct {
	ID          string         `json:"id"`
	Type        string         `json:"cell_type"`
	Source      any            `json:"source"`
	Metadata    map[string]any `json:"metadata"`
	Attachments map[string]any `json:"attachments"`
	Outputs     []ydoc.Output  `json:"outputs"`
	Count       *int           `json:"execution_count"`
}

// notebookOfFile makes a replica of its own of a notebook's content.
func notebookOfFile(content json.RawMessage) (*ydoc.Notebook, error) {
	var file struct {
		Cells    []fileCell     `json:"cells"`
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	nb := ydoc.NewNotebook()
	err := nb.Edit("file", func(e *ydoc.Editor) error {
		for key, v := range file.Metadata {
			if err := e.SetMetadata(key, v); err != nil {
				return err
			}
		}
		for i, c := range file.Cells {
			if err := c.add(e, i); err != nil {
				return fmt.Errorf("cell %d: %w", i, err)
			}
		}
		return nil
	})
	return nb, err
}

// add puts the cell at the end of a notebook.
func (c fileCell) add(e *ydoc.Editor, at int) error {
	cell := ydoc.NewCell{ID: c.ID, Type: c.Type, Source: joined(c.Source), Metadata: c.Metadata}
	if c.Type != ydoc.Code {
		cell.Attachments = c.Attachments
	}
	ids, err := e.Insert(at, cell)
	if err != nil || c.Type != ydoc.Code {
		return err
	}
	for _, o := range c.Outputs {
		if o.Type() == "stream" {
			o["text"] = joined(o["text"])
		}
	}
	if err := e.SetOutputs(ids[0], c.Outputs); err != nil {
		return err
	}
	return e.FinishRun(ids[0], c.Count)
}

// joined is a text that nbformat may have as a list of lines.
func joined(v any) string {
	lines, ok := v.([]any)
	if !ok {
		s, _ := v.(string)
		return s
	}
	var b strings.Builder
	for _, line := range lines {
		s, _ := line.(string)
		b.WriteString(s)
	}
	return b.String()
}

// noRoom stands for the room of a document that is shown as its file is: nothing goes to the room, and nothing is saved.
type noRoom struct {
	session jupyter.CollabSession // of the room
	gap     *IncompleteError
	done    chan struct{} // never closed
}

func (r *noRoom) ID() string                           { return r.session.RoomID() }
func (r *noRoom) FileID() string                       { return r.session.FileID }
func (r *noRoom) SessionID() string                    { return r.session.SessionID }
func (r *noRoom) State() rtc.State                     { return rtc.Synced }
func (r *noRoom) Barrier(context.Context) error        { return nil }
func (r *noRoom) Save(context.Context) (string, error) { return "", r.gap }
func (r *noRoom) Leave(context.Context) error          { return nil }
func (r *noRoom) LastSave(context.Context) error       { return nil }
func (r *noRoom) Depart(context.Context)               {}
func (r *noRoom) Peers() []rtc.Peer                    { return nil }
func (r *noRoom) SetCursors(...awareness.Cursor)       {}
func (r *noRoom) AutosaveOff() bool                    { return true } // nothing is to be saved
func (r *noRoom) Rename(string)                        {}
func (r *noRoom) WaitSynced(context.Context) error     { return nil }
func (r *noRoom) LostAt() time.Time                    { return time.Time{} }
func (r *noRoom) Quiet() time.Duration                 { return 0 }
func (r *noRoom) Done() <-chan struct{}                { return r.done }
func (r *noRoom) Err() error                           { return nil }
