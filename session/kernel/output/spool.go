package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nbduet/nbduet/session/kernel/figure"
)

const (
	// maxSpoolBuffer bounds the left-out text in memory; more goes to a file.
	maxSpoolBuffer = 256 << 10
	// maxSpool bounds the text kept for one run, from its beginning.
	maxSpool = 256 << 20
	// maxSpoolLine is how far back a carriage return is followed.
	maxSpoolLine = 64 << 10
	// markEvery is about the number of bytes between two marks.
	markEvery = 64 << 10
)

// errSpoolGone reports that the text is no longer kept.
var errSpoolGone = errors.New("the output left out of the notebook is no longer kept: later runs have left out more")

// spool keeps the text that a run's cell lacks, as a terminal would show it, for reading from any offset: its end in
// memory, and the rest in a temporary file that only this user can read. If the system allows it, the file has no name once
// it is open, so that it disappears with the process.
//
// All spools share one lock; the work under it is short, and writes no further than the system's file cache.
type spool struct {
	all *Spools

	file    *os.File // nil before the first flush
	named   bool     // the file must be removed
	flushed int64    // bytes in the file
	buf     []byte   // the text after them
	chars   int      // characters of both
	marks   []mark   // in order
	line    folder   // the last line, which is not in buf yet
	full    bool     // accepts no more text
	lost    int      // bytes not accepted
	gone    bool     // the text was dropped
}

// mark is a place in a text, in bytes and in characters.
type mark struct {
	at    int64
	chars int
}

// write appends text to the spool.
func (s *spool) write(text string) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if s.full || s.gone {
		s.lost += len(text)
		return
	}
	s.append(s.ended(text))
	s.all.trim(s)
}

// ended folds text, and returns the part that later text cannot change.
func (s *spool) ended(text string) string {
	end := strings.LastIndexByte(text, '\n') + 1
	before := ""
	if end > 0 {
		before = s.line.last()
	}
	if s.line.extend(text) {
		text = before + text[:end]
	} else {
		text = s.line.write(text)
		text = text[:len(text)-len(s.line.last())]
	}
	if len(s.line.line) > maxSpoolLine {
		text += s.line.last()
		s.line = folder{}
	}
	return text
}

// append appends text. The lock is held.
func (s *spool) append(text string) {
	for text != "" {
		n := min(len(text), markEvery)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		at := s.flushed + int64(len(s.buf))
		if at+int64(n) > maxSpool {
			s.stop(len(text))
			return
		}
		if k := len(s.marks); k == 0 || at-s.marks[k-1].at >= markEvery {
			s.marks = append(s.marks, mark{at, s.chars})
		}
		s.buf = append(s.buf, text[:n]...)
		s.chars += utf8.RuneCountInString(text[:n])
		text = text[n:]
		if len(s.buf) > maxSpoolBuffer && !s.flush() {
			s.stop(len(text))
			return
		}
	}
}

// stop accepts no more text: n bytes are lost.
func (s *spool) stop(n int) {
	s.full = true
	s.lost += n + len(s.line.last())
	s.line = folder{}
}

// flush moves the buffer to the file, and reports whether it could. If the disk is full or missing, the buffer stays.
func (s *spool) flush() bool {
	if s.file == nil {
		f, err := os.CreateTemp("", "nbduet-run-*.txt") // mode 0600
		if err != nil {
			return false
		}
		s.file = f
		s.named = os.Remove(f.Name()) != nil
		s.all.files = append(s.all.files, s)
	}
	if _, err := s.file.WriteAt(s.buf, s.flushed); err != nil {
		return false
	}
	s.flushed += int64(len(s.buf))
	s.all.bytes += int64(len(s.buf))
	s.buf = s.buf[:0]
	return true
}

// page reads at most n characters from the offset-th on, and returns their total. The tail is the end of the lost text.
func (s *spool) page(offset, n int, tail string) (text string, total int, err error) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if s.gone {
		return "", 0, errSpoolGone
	}
	end := s.line.last()
	if s.lost > 0 {
		tail = tail[max(0, len(tail)-s.lost):]
		for tail != "" && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		if missing := s.lost - len(tail); missing > 0 {
			end += fmt.Sprintf("\n[%d bytes are not kept here]\n", missing)
		}
		end += tail
	}
	total = s.chars + utf8.RuneCountInString(end)
	if offset < s.chars {
		if text, err = s.stored(offset, n); err != nil {
			return "", total, err
		}
		n -= utf8.RuneCountInString(text)
	}
	return text + slice(end, max(0, offset-s.chars), n), total, nil
}

// stored reads from the file and the buffer.
func (s *spool) stored(offset, n int) (string, error) {
	i, _ := slices.BinarySearchFunc(s.marks, offset+1, func(m mark, c int) int { return m.chars - c })
	m := s.marks[i-1] // the first is at 0
	skip := offset - m.chars
	want := min(int64(skip+n)*utf8.UTFMax, s.flushed+int64(len(s.buf))-m.at)
	b := make([]byte, want)
	got := 0
	if m.at < s.flushed {
		k := min(want, s.flushed-m.at)
		if _, err := s.file.ReadAt(b[:k], m.at); err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the output left out of the notebook: %w", err)
		}
		got = int(k)
	}
	if int64(got) < want {
		copy(b[got:], s.buf[m.at+int64(got)-s.flushed:])
	}
	return slice(string(b), skip, n), nil
}

// slice returns at most n characters of a text from the offset-th on.
func slice(text string, offset, n int) string {
	from, i := len(text), 0
	for at := range text {
		if i == offset {
			from = at
		}
		if i == offset+n {
			return text[from:at]
		}
		i++
	}
	return text[from:]
}

// drop drops all text.
func (s *spool) drop() {
	if s == nil {
		return
	}
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.release()
}

// release is drop with the lock held.
func (s *spool) release() {
	if s.file != nil {
		_ = s.file.Close() // the file is no longer read
		if s.named {
			_ = os.Remove(s.file.Name()) // if it fails, the system removes it with its other temporary files
		}
		s.all.bytes -= s.flushed
		s.all.files = slices.DeleteFunc(s.all.files, func(o *spool) bool { return o == s })
	}
	*s = spool{all: s.all, gone: true, lost: s.lost}
}

const (
	// maxSpools bounds the files of all runs together.
	maxSpools = 1 << 30
	// maxOpenSpools is how many runs have a file at once.
	maxOpenSpools = 32
)

// Stores are the places for output that cells lack. Each may be nil: then that output is dropped.
type Stores struct {
	Spools  *Spools       // text beyond the bounds
	Figures *figure.Known // the figures' own descriptions
}

// Spools are the files of all runs. Beyond the bounds the oldest are dropped. The zero value is ready for use.
type Spools struct {
	mu    sync.Mutex
	bytes int64    // in all files
	files []*spool // spools with a file, the oldest first
}

// trim drops the oldest, except but, until the bounds are met. The lock is held.
func (a *Spools) trim(but *spool) {
	for a.bytes > maxSpools || len(a.files) > maxOpenSpools {
		i := slices.IndexFunc(a.files, func(s *spool) bool { return s != but })
		if i < 0 {
			return
		}
		a.files[i].release()
	}
}

// Close drops all spools.
func (a *Spools) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.files) > 0 {
		a.files[0].release()
	}
}

// LeftOut reads the text of a run that its cell lacks.
type LeftOut struct {
	spool *spool // nil without such text
	tail  string // the end of it
}

func (o *outputs) leftOut() LeftOut {
	if o.spool == nil {
		return LeftOut{}
	}
	return LeftOut{o.spool, fold(o.restText())}
}

// Empty reports whether nothing was left out: the cell has all of the run's output.
func (l LeftOut) Empty() bool { return l.spool == nil }

// Page reads at most n characters of the text from the offset-th on, and returns their total so far. A note marks a missing
// part.
func (l LeftOut) Page(offset, n int) (text string, total int, err error) {
	return l.spool.page(offset, n, l.tail)
}

// WithoutTail returns l without the end of the text, which is in memory.
func (l LeftOut) WithoutTail() LeftOut { return LeftOut{spool: l.spool} }

// Drop drops the text.
func (l LeftOut) Drop() { l.spool.drop() }
