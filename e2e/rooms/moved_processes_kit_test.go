package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	program "github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/ydoc"
)

// People type and agents write single characters that are unique.
const (
	theirs   rune = '一'
	ours     rune = '가'
	oursEach rune = 5000
)

// sighting is the time and place of an event.
type sighting struct {
	at   time.Duration
	cell string
}

// book has the typed and the confirmed characters of one program.
type book struct {
	mu               sync.Mutex
	typed            int
	pressed          map[rune]time.Duration
	expect           map[rune]bool     // last confirmed state: present or not
	unsure           map[rune]bool     // without an answer
	since            map[rune]sighting // when it was confirmed
	edits            int
	processes, moves int
	moved            map[string]time.Duration // time of each cell's last move
	risks            []sighting               // cells that were moved right before a process was killed
	log              []string
}

func newBook() *book {
	return &book{pressed: map[rune]time.Duration{}, expect: map[rune]bool{}, unsure: map[rune]bool{}, since: map[rune]sighting{}, moved: map[string]time.Duration{}}
}

func (b *book) press(at time.Duration) rune {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := theirs + rune(b.typed)
	b.typed++
	b.pressed[key] = at
	return key
}

// confirm notes that a character is in a cell, or in none.
func (b *book) confirm(mark rune, there bool, cell string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expect[mark] = there
	if cell != "" {
		b.since[mark] = sighting{b.since[mark].at, cell}
	}
}

// kill notes that a process is killed now.
func (b *book) kill(at time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for cell, moved := range b.moved {
		if at-moved <= killRisk {
			b.risks = append(b.risks, sighting{at, cell})
		}
	}
}

func (b *book) move(at time.Duration, cell string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved[cell] = at
}

func (b *book) note(at time.Duration, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, fmt.Sprintf("%d "+format, append([]any{at.Milliseconds()}, args...)...))
}

// frames is a replica that notes when and in which cell the server first sent a character, and keeps all messages.
type frames struct {
	*ydoc.Notebook
	room  *rtc.Room
	begun time.Time
	mu    sync.Mutex
	first map[rune]sighting
	all   []string
}

// Apply implements the room's document: the room calls it with each update from the server.
func (w *frames) Apply(update []byte) error {
	err := w.Notebook.Apply(update)
	at := time.Since(w.begun).Round(time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, fmt.Sprintf("%d %x", at.Milliseconds(), update))
	for _, c := range w.Notebook.Cells() {
		for _, r := range c.Source {
			if _, seen := w.first[r]; !seen && r >= theirs {
				w.first[r] = sighting{at, c.ID}
			}
		}
	}
	return err
}

// write saves the recorded messages if a folder is set for them.
func (w *frames) write(name string, b *book) error {
	dir := os.Getenv("NBDUET_ROOM_FRAMES")
	if dir == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(
		os.WriteFile(filepath.Join(dir, name+".frames"), []byte(strings.Join(w.all, "\n")+"\n"), 0o600),
		os.WriteFile(filepath.Join(dir, name+".calls"), []byte(strings.Join(b.log, "\n")+"\n"), 0o600))
}

// mover is an agent that moves and edits cells through one process after the other.
type mover struct {
	*act
	n    int
	rng  *rand.Rand
	next rune
	has  map[string][]rune // its own confirmed characters in each cell

	process *program.Agent
	stopped atomic.Bool
}

func (m *mover) mark() rune {
	m.next++
	return m.next
}

// endings are the ways in which a process ends, or leaves the notebook.
var endings = []string{"end_nb_session", "stdin", "SIGTERM", "SIGKILL"}

// work runs one process after the other, each until it is ended in its way.
func (m *mover) work(ctx context.Context, until time.Time) error {
	for time.Now().Before(until) {
		if err := m.start(ctx); err != nil {
			return err
		}
		calls, cancel := context.WithCancel(ctx)
		pause, how := 500*time.Millisecond+time.Duration(m.rng.IntN(2500))*time.Millisecond, endings[m.rng.IntN(len(endings))]
		var working sync.WaitGroup
		working.Go(func() {
			for !m.stopped.Load() && calls.Err() == nil {
				m.step(calls)
			}
		})
		time.Sleep(pause)
		err := m.end(ctx, cancel, how)
		working.Wait()
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *mover) start(ctx context.Context) error {
	file, err := nbduet()
	if err != nil {
		return err
	}
	env := append(lab.CleanEnv(), "HOME="+m.t.TempDir(), "JUPYTER_SERVER_URL="+m.s.URL, "JUPYTER_TOKEN="+m.s.Token, "GORACE=atexit_sleep_ms=10")
	m.process, err = program.Start(ctx, program.Options{Binary: file, Env: env, Protocol: "2025-06-18", Args: []string{"--toolsets=all", "--state=:memory:"}})
	if err != nil {
		return err
	}
	m.stopped.Store(false)
	m.book.mu.Lock()
	m.book.processes++
	m.book.mu.Unlock()
	m.book.note(m.now(), "mover %d: starts process", m.n)
	_, err = m.process.Do(ctx, "read_nb_cells", map[string]any{"path": m.path}, nil)
	return err
}

// end ends the process in the middle of its work.
func (m *mover) end(ctx context.Context, cancel context.CancelFunc, how string) error {
	m.book.note(m.now(), "mover %d: %s", m.n, how)
	p := m.process
	m.stopped.Store(how == "end_nb_session") // otherwise calls continue to the end
	switch how {
	case "end_nb_session":
		if _, err := p.Do(ctx, "end_nb_session", map[string]any{"path": m.path}, nil); err != nil {
			return err
		}
	case "SIGTERM":
		if err := p.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		<-p.Exited()
	case "SIGKILL":
		at := m.now()
		p.Kill()
		m.book.kill(at)
	}
	m.book.note(m.now(), "mover %d: %s is over", m.n, how)
	err := p.Close()
	m.book.note(m.now(), "mover %d: process is gone", m.n)
	cancel()
	if how == "SIGKILL" || how == "SIGTERM" {
		if strings.Contains(p.Log(), "DATA RACE") {
			return err
		}
		return nil
	}
	return err
}

// step makes one random call.
func (m *mover) step(ctx context.Context) {
	cell := fmt.Sprint("c", m.pick(m.rng))
	switch what := m.rng.IntN(20); {
	case what < 10:
		m.book.move(m.now(), cell)
		made, _ := m.call(ctx, "move_nb_cells", map[string]any{"ranges": []any{map[string]any{"id": cell}}, "position": m.rng.IntN(m.cells)})
		m.book.move(m.now(), cell)
		if made {
			m.book.mu.Lock()
			m.book.moves++
			m.book.mu.Unlock()
		}
	case what < 11:
		m.deleteKey(ctx)
	default:
		m.edit(ctx, cell, what)
	}
}

// call calls a tool for the notebook. known is false if the result is not known.
func (m *mover) call(ctx context.Context, tool string, args map[string]any) (made, known bool) {
	args["path"] = m.path
	asked := m.now()
	answer, err := m.process.Call(ctx, tool, args)
	var say string
	switch {
	case err != nil:
		say = err.Error()
		m.stopped.Store(true) // the process is gone; further calls would use up the marks
	case answer.IsError:
		say, known = answer.Text, strings.Contains(answer.Text, "nothing was changed")
	default:
		say, made, known = "made", true, true
	}
	b, _ := json.Marshal(args) // of strings and numbers
	m.book.note(m.now(), "mover %d: %s %s, asked at %d: %.300s", m.n, tool, b, asked.Milliseconds(), say)
	return made, known
}

// edit inserts a unique mark into a cell, replaces one, or removes one. The first one stays forever.
func (m *mover) edit(ctx context.Context, cell string, what int) {
	has := m.has[cell]
	at := m.rng.IntN(len(has))
	switch {
	case at == 0 || len(has) < 4 || what < 14:
		m.replace(ctx, cell, has[at], true, m.mark())
	case what < 16:
		m.replace(ctx, cell, has[at], false, 0)
	default:
		m.replace(ctx, cell, has[at], false, m.mark())
	}
}

// deleteKey removes typed text. Most of it has not arrived yet, or is gone.
func (m *mover) deleteKey(ctx context.Context) {
	m.book.mu.Lock()
	key := theirs + rune(m.rng.IntN(m.book.typed+1))
	m.book.mu.Unlock()
	m.replace(ctx, "", key, false, 0)
}

// replace puts a mark, 0 for none, after a character of a cell or in its place, and notes the expected result.
func (m *mover) replace(ctx context.Context, cell string, old rune, keep bool, mark rune) {
	put := ""
	if keep {
		put = string(old)
	}
	if mark != 0 {
		put += string(mark)
	}
	args := map[string]any{"old_text": string(old), "new_text": put}
	if cell != "" {
		args["cell_id"] = cell
	}
	made, known := m.call(ctx, "edit_text", args)
	at := sighting{m.now(), cell}
	b := m.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if !keep {
		m.has[cell] = slices.DeleteFunc(m.has[cell], func(r rune) bool { return r == old })
	}
	switch {
	case made:
		b.edits++
		b.expect[old], b.since[old] = keep, at
		if mark != 0 {
			b.expect[mark], b.since[mark] = true, at
			m.has[cell] = append(m.has[cell], mark)
		}
	case !known:
		b.unsure[old] = b.unsure[old] || !keep
		b.unsure[mark] = true
	}
}
