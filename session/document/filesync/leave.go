package filesync

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc"
)

// Leave leaves a room, with a last save if the file may lack content. It returns an [*UnsavedError] if the file still lacks
// some afterwards.
func (s *Saver) Leave(ctx context.Context, j Joined) error {
	s.file.begin()
	ended, revision := j.Room.Err(), j.replica().Revision()
	var err error
	switch {
	case ended != nil || s.file.has(revision):
	case !j.Room.AutosaveOff():
		if err = s.last(ctx, j, revision); err != nil {
			ended = j.Room.Err() // it ended during the save
		}
	case s.file.pending():
		s.note(problemAutosaveOff) // a save would also write edits that people have not saved
	}
	if ended != nil {
		if err = nil; s.file.pending() {
			s.note(s.endedUnsaved(ctx, j))
		}
	}
	j.Room.Depart(ctx)
	problem := s.Unsaved()
	if problem != "" && ended == nil && s.file.pending() && s.server != nil {
		lacks, _ := s.lacks(ctx, j) // if the file cannot be read, only the problem is reported
		problem += lacks
	}
	if problem != "" {
		err = errors.Join(err, &UnsavedError{Path: s.doc.Path(), Reason: problem})
	}
	return err
}

// UnsavedError means that a document was left while its file lacked, or may have lacked, some of the room's content.
type UnsavedError struct {
	Path   jupyter.Path
	Reason string
}

// Kind returns the document's path, without the reason.
func (e *UnsavedError) Kind() string { return e.Path.String() + " not saved" }

func (e *UnsavedError) Error() string {
	if strings.HasPrefix(e.Reason, notKnown) {
		return e.Path.String() + ": " + e.Reason
	}
	return fmt.Sprintf("%s: not saved: %s", e.Path, e.Reason)
}

// lastSaves is how often a document is saved before it is left, if others edit and save at the same time; lastSavesUnwritten
// if a save does not change the file.
const (
	lastSaves          = 6
	lastSavesUnwritten = 2
)

// last saves a document before it is left, and checks that the file has it. It checks while in the room, because others may
// save at any time, and only the room shows that. A save by any client that was aborted by an edit leaves a file whose hash
// is not in the document, like another program's write, until the next save. Then the file's content decides.
func (s *Saver) last(ctx context.Context, j Joined, revision ydoc.Revision) error {
	w := recordStates(j)
	defer w.end()
	problem := problemForeign
	for try := 1; try <= lastSaves && (problem == problemForeign || problem == problemUnproven && try <= lastSavesUnwritten); try++ {
		before := j.replica().Revision()
		written, err := s.lastSave(ctx, j, w)
		if written {
			problem = ""
			break
		}
		if errors.Is(err, errSilent) {
			problem = problemSilent
			break
		}
		if err != nil {
			return err
		}
		if whole := j.replica().Revision() == before; whole || try == lastSaves {
			problem = s.look(ctx, revision, true)
		}
		// The server may have renamed the file, without having written that into the document yet.
		if problem == problemGone && s.doc.Follow(ctx, j.Room.FileID()) {
			problem = s.look(ctx, revision, true)
		}
		if (problem == problemForeign || problem == problemUnproven) && s.written(ctx, j, w) {
			problem = ""
		}
	}
	s.note(problem)
	return nil
}

// written checks whether the file has a state that the document had since the witness began.
func (s *Saver) written(ctx context.Context, j Joined, w *stateRecorder) bool {
	if s.server == nil {
		return false
	}
	c, err := s.server.Contents.Get(ctx, s.doc.Path(), j.ContentOf())
	return err == nil && w.recognizes(c)
}

// problemSilent is the problem of a server that does not answer saves, see Silence.
const problemSilent = notKnown + "has all of it: the server does not report saves (jupyter-collaboration before 4), and the file differed from the document each time it was read"

var errSilent = errors.New(problemSilent)

// lastSave requests the last save of a room. If the server has never answered a save, it also checks the file in the
// meantime; written reports that the file has everything, so that no answer is needed.
func (s *Saver) lastSave(ctx context.Context, j Joined, w *stateRecorder) (written bool, err error) {
	if s.server == nil || s.silent.speaks(j.Room.SessionID()) {
		return false, j.Room.LastSave(ctx)
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan error, 1)
	go func() { asked <- j.Room.LastSave(asking) }()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case err := <-asked:
			there := j.Room.State() == rtc.Synced && j.Room.Quiet() < lastWord
			s.silent.note(j.Room.SessionID(), err, there && ctx.Err() != nil)
			if err != nil && there && errors.Is(err, context.DeadlineExceeded) {
				return false, errSilent
			}
			return false, err
		case <-look.C:
			if !s.written(asking, j, w) {
				continue
			}
			stop()
			if <-asked == nil {
				s.silent.note(j.Room.SessionID(), nil, false)
			}
			return true, nil
		}
	}
}

// endedUnsaved returns the problem with confirmed edits whose room ended before they were seen in the file; "" if the file
// has them.
func (s *Saver) endedUnsaved(ctx context.Context, j Joined) string {
	if s.server == nil {
		return s.Unsaved()
	}
	lacks, err := s.lacks(ctx, j)
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
		return problemGone + lacks
	case err != nil:
		return fmt.Sprintf(notKnown+"has the last confirmed edits: their room has ended, and the file cannot be read: %v", err)
	case lacks == "":
		return ""
	}
	return problemEnded + lacks
}

const problemEnded = "the document's room has ended before the last confirmed edits were written"

// inNoFile begins the list of missing content.
const inNoFile = "; unsaved: "

// lacks reads the file of a document that is being left, and lists the content that it lacks; "" for none. A missing file
// lacks everything.
func (s *Saver) lacks(ctx context.Context, j Joined) (string, error) {
	c, err := s.server.Contents.Get(ctx, s.doc.Path(), j.ContentOf())
	switch {
	case errors.Is(err, jupyter.ErrNotFound):
	case err != nil || s.holds(j, c):
		return "", err
	}
	now, fault := nbformat.Replica(c.Content)
	if fault != nil {
		now = nil // it is not a notebook, or is missing
	}
	return inNoFile + missing(j.Notebook, now, s.file.seen()), err
}

// missingNamed is the maximum number of lost cells that are named.
const missingNamed = 10

// missing names the cells of a notebook that were changed since a revision and that another state of it lacks, with advice.
// now is nil if the other state does not exist; was is nil for a text.
func missing(was, now *ydoc.Notebook, since ydoc.Revision) string {
	if was == nil {
		return "the last changes of the text; read the document again, and repeat what is missing"
	}
	var lost []string
	more := 0
	for _, change := range was.ChangesSince(since).Cells {
		c, ok := was.Cell(change.ID)
		if !ok {
			continue
		}
		what := "inserted"
		if now != nil {
			if other, found := now.Cell(c.ID); found {
				if other.Source == c.Source && other.Type == c.Type && len(other.Outputs) == len(c.Outputs) {
					continue
				}
				if what = "source"; other.Source == c.Source {
					what = "outputs"
				}
			}
		}
		if len(lost) == missingNamed {
			more++
			continue
		}
		line, _, _ := strings.Cut(c.Source, "\n")
		lost = append(lost, fmt.Sprintf("cell %s (%s, begins %s)", c.ID, what, textfmt.Quoted(line)))
	}
	list := strings.Join(lost, ", ")
	switch {
	case list == "":
		list = "moves or deletions of cells, or metadata"
	case more > 0:
		list += fmt.Sprintf(" and %d more", more)
	}
	return list + "; read the notebook again, and repeat what is missing"
}

// Same reports whether the replicas of two joined rooms have the same content.
func Same(one, other Joined) bool {
	if one.Text != nil && other.Text != nil {
		return one.Text.String() == other.Text.String()
	}
	a, b := one.Notebook, other.Notebook
	if a == nil || b == nil || !reflect.DeepEqual(a.Metadata(), b.Metadata()) {
		return false
	}
	return slices.EqualFunc(a.Cells(), b.Cells(), func(c, other ydoc.Cell) bool { return reflect.DeepEqual(content(c), content(other)) })
}

// content returns a cell without the fields that differ between replicas or change during a run.
func content(c ydoc.Cell) ydoc.Cell {
	c.Revision, c.ExecutionState = 0, ""
	return c
}
