package session

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// openFor bounds each wait for the server while a document is opened: it may take a minute to read and convert a large
// file, and answers nobody meanwhile.
const openFor = 2 * time.Minute

// flowing is after how long without a word of the room it no longer counts as sending the document.
const flowing = 2 * time.Second

// An OpeningError says that a document is still being opened when a call's time is over. It goes on being opened, for the
// calls that come after.
type OpeningError struct {
	For  time.Duration // since when, ago
	Busy bool          // the server answers nothing meanwhile
}

// Kind is "being opened".
func (e *OpeningError) Kind() string { return "being opened" }

func (e *OpeningError) Error() string {
	if e.Busy {
		return fmt.Sprintf("it is being opened: the Jupyter server has been busy with it for %d s: call again, or wait", seconds(e.For))
	}
	return fmt.Sprintf("it is being opened, for %d s now: call again, or wait", seconds(e.For))
}

// Is makes it match [jupyter.ErrUnreachable].
func (e *OpeningError) Is(target error) bool { return target == jupyter.ErrUnreachable }

func seconds(d time.Duration) int { return int(d.Round(time.Second) / time.Second) }

// opening is what is known of a document that is being opened.
type opening struct {
	began time.Time
	heard atomic.Int64 // when the room has last sent something, in nanoseconds
}

func (o *opening) hear() { o.heard.Store(time.Now().UnixNano()) }

func (o *opening) quiet() time.Duration { return time.Since(time.Unix(0, o.heard.Load())) }
