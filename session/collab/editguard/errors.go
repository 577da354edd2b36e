package editguard

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The codes of refusals, with which their texts begin.
const (
	CodeBusy     = "busy_human"
	CodeHandsOff = "hands_off"
	CodeStopped  = "stopped_by"
	CodeSuspect  = "notebook_suspect"
	// CodeAsk is for a cell that agents run only with a person's permission.
	CodeAsk = "ask_to_run"
)

// maxTyped is how much of the typed text is shown, in characters.
const maxTyped = 120

// BusyError means that an edit was not made because a person is typing in a cell that it touches, or may be about to type in
// one that it replaces.
type BusyError struct {
	Edit  string // its name
	Cell  string // the cell's id; "" in a text
	Index int    // of the cell; -1 if it is not known
	Line  int    // in a text, counted from 1
	Who   string // the person's name
	// Since is when they began, and Last when the last key came.
	Since, Last time.Time
	Typed       string // "" if not known
	// Arrived is set if they put the caret there at that time and have not typed yet.
	Arrived bool
	// Waited is how long the call has waited in vain.
	Waited time.Duration
	// Forceable reports whether the called tool lists force.
	Forceable bool

	now time.Time
}

// Kind is the code.
func (e *BusyError) Kind() string { return CodeBusy }

func (e *BusyError) Error() string {
	typed, waited, force := "", "", ""
	if text := strings.Join(strings.Fields(textfmt.Plain(e.Typed)), " "); text != "" {
		text, _ = textfmt.Cut(text, maxTyped)
		typed = ": " + textfmt.Quoted(text)
	}
	if e.Waited > 0 {
		waited = fmt.Sprintf(", and did not pause within %s", e.Waited)
	}
	if e.Forceable {
		force = "; force true does it at once"
	}
	since := fmt.Sprintf("since %s, last key %s ago%s", ago(e.now.Sub(e.Since)), ago(e.now.Sub(e.Last)), typed)
	if e.Arrived {
		since = ago(e.now.Sub(e.Last)) + " ago"
	}
	return fmt.Sprintf("%s: %s, %s%s; nothing was %s: work elsewhere, or make the same call again later%s",
		CodeBusy, e.does(), since, waited, verb(e.Edit), force)
}

// earlyError means that the room was joined so recently that typing would not have been noticed yet.
type earlyError struct {
	edit string
	left time.Duration // until it would be
}

func (e *earlyError) Error() string {
	return fmt.Sprintf("%s: the document was just opened: try again in %s", e.edit, e.left)
}

// does describes what the person is doing.
func (e *BusyError) does() string {
	if e.Arrived {
		return fmt.Sprintf("%s moved the caret into %s", e.Who, e.where())
	}
	return fmt.Sprintf("%s is typing in %s", e.Who, e.where())
}

func (e *BusyError) where() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d", e.Line)
	}
	return place(e.Index, e.Cell)
}

// verb returns the participle for an edit that was not made.
func verb(edit string) string {
	if edit == "run" {
		return "run"
	}
	return "written"
}

// place names a cell.
func place(index int, id string) string {
	if index < 0 {
		return "cell " + textfmt.Quoted(id)
	}
	return fmt.Sprintf("cell %d (id %s)", index, textfmt.Quoted(id))
}

// ago formats a duration in seconds, with tenths below 10.
func ago(d time.Duration) string {
	const few = 10 * time.Second
	if d < few {
		return fmt.Sprintf("%.1f s", max(0, d.Seconds()))
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// HandsOffError means that an edit was not made because a person has said hands off, or has pressed Stop. Only their "go on"
// lifts it.
type HandsOffError struct {
	Edit string // its name
	Hold
	Index int // of the cell; -1 if it is not known
	// InFile is the code if the hold is in the cell's metadata, see [InFile].
	InFile string
}

// Kind is the code.
func (e *HandsOffError) Kind() string {
	return cmp.Or(e.InFile, lo.Ternary(e.Stop, CodeStopped, CodeHandsOff))
}

// Pressed says who has pressed Stop, and when.
func (h Hold) Pressed() string {
	return h.shown() + " pressed Stop in this notebook, at " + h.Since.Format("15:04:05")
}

func (e *HandsOffError) Error() string {
	what, where := "this notebook", "in it or in its chat"
	if !e.Notebook() {
		what, where = place(e.Index, e.Cell), "in it"
	}
	if e.InFile == CodeAsk {
		return fmt.Sprintf("%s: %s runs only with a person's permission, by its metadata; nothing was run: "+
			"ask your user to run it in the tab, or to remove ask_to_run there", CodeAsk, what)
	}
	if e.InFile != "" {
		since := ""
		if !e.Since.IsZero() {
			since = " since " + e.Since.Format("2006-01-02 15:04")
		}
		return fmt.Sprintf("%s: %s keeps agents out of %s%s, in its metadata; nothing was %s: it holds until a person removes hands_off there, "+
			"so work elsewhere, or ask them", CodeHandsOff, e.shown(), what, since, verb(e.Edit))
	}
	did, goOn := fmt.Sprintf("%s said hands off %s, at %s", e.shown(), what, e.Since.Format("15:04:05")), "says go on "+where
	if e.Stop {
		did, goOn = e.Pressed(), `presses "Go on" in the tab or `+goOn
	}
	return fmt.Sprintf("%s: %s; nothing was %s: it holds until %s %s, so work elsewhere, or ask them", e.Kind(), did, verb(e.Edit), e.shown(), goOn)
}

// SuspectError means that an edit was not made because the notebook has lost or doubled its cells, see [Suspect].
type SuspectError struct {
	Edit string // its name
	Hold
}

// Kind is the code.
func (e *SuspectError) Kind() string { return CodeSuspect }

func (e *SuspectError) Error() string {
	return fmt.Sprintf("%s: %s; nothing was %s: %s", CodeSuspect, e.seen(), verb(e.Edit), remedy)
}
