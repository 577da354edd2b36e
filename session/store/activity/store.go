package activity

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/session/store/sqlite"
)

// Memory is the path of a database that ends with the process.
const Memory = sqlite.Memory

// maxCurrent bounds the current sessions; beyond it the longest silent one is ended.
const maxCurrent = 1_000

// maxText bounds each topic, discovery and solution of a client, in bytes.
const maxText = 4_000

// Options say where to keep activity.
type Options struct {
	// Path is the database file, which is created with its folder if missing, or [Memory].
	Path string
	// Logger gets failed writes; nil logs nothing.
	Logger *slog.Logger
}

// A Store keeps the activity of all clients of this process.
type Store struct {
	db   *sql.DB
	path string
	log  *slog.Logger
	runs *Runs

	mu       sync.Mutex
	sessions map[string]*current // by the client's key
	ended    []*current          // ended, with unwritten data

	writer *sqlite.Writer
}

// Open opens or creates the database. The caller closes the Store.
func Open(ctx context.Context, opt Options) (*Store, error) {
	db, err := sqlite.Open(ctx, opt.Path, steps, trim)
	if err != nil {
		return nil, fmt.Errorf("open the database of activity %s: %w", opt.Path, err)
	}
	s := &Store{db: db, path: opt.Path, log: opt.Logger, sessions: make(map[string]*current)}
	s.runs = &Runs{db: db, process: newID()}
	if opt.Path != Memory {
		s.runs.dir = opt.Path + ".locks"
	}
	s.log = cmp.Or(s.log, slog.New(slog.DiscardHandler))
	s.writer = &sqlite.Writer{
		Flush: s.flush, Beat: s.heartbeat,
		Failed: func(err error) { s.log.Warn("activity cannot be written, and is kept in memory only", "error", err) },
		Works:  func() { s.log.Info("activity is written again") },
	}
	s.writer.Start()
	return s, nil
}

// Path returns the database file, or [Memory].
func (s *Store) Path() string { return s.path }

// A Client identifies a client.
type Client struct {
	Key   string // of its connection: the same key is the same session
	Owner string // the client that may see the session later
	Name  string // the client program's own name
}

// Called counts a tool call of a client and the files that it names. The first call begins the client's session.
func (s *Store) Called(c Client, files ...string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.session(c, now)
	cur.calls++
	for _, path := range files {
		if path = clean(path); path != "" {
			cur.touch(path, now)
		}
	}
	s.writer.Wake()
}

// Noted adds topics and discoveries of a client. It leaves out topics that the session already has.
func (s *Store) Noted(c Client, topics []string, found []Discovery) (Session, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.session(c, now)
	var add []string
	for _, t := range topics {
		if t = clean(t); t != "" && !slices.Contains(cur.topics, t) && !slices.Contains(add, t) {
			add = append(add, t)
		}
	}
	if len(cur.topics)+len(add) > maxTopics || len(cur.discoveries)+len(found) > maxDiscoveries {
		return Session{}, fmt.Errorf("the session has %d topics and %d discoveries, and at most %d and %d are kept: nothing was added",
			len(cur.topics), len(cur.discoveries), maxTopics, maxDiscoveries)
	}
	cur.topics = append(cur.topics, add...)
	for _, d := range found {
		d.Text, d.Solution, d.Module, d.At = clean(d.Text), clean(d.Solution), clean(d.Module), now
		cur.discoveries = append(cur.discoveries, d)
	}
	s.writer.Wake()
	return cur.snapshot(), nil
}

// clean trims a text and makes it valid.
func clean(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") // without a cut character
	}
	return text
}

// Current returns a client's current session; false before its first call.
func (s *Store) Current(key string) (Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cur := s.sessions[key]
	if cur == nil {
		return Session{}, false
	}
	return cur.snapshot(), true
}

// End ends the session of a client that has left.
func (s *Store) End(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(key)
}

func (s *Store) end(key string) {
	if cur := s.sessions[key]; cur != nil {
		delete(s.sessions, key)
		cur.ended, cur.fresh = true, true
		s.ended = append(s.ended, cur)
		s.writer.Wake()
	}
}

// session returns a client's session, or begins it. The caller holds mu.
func (s *Store) session(c Client, now time.Time) *current {
	cur := s.sessions[c.Key]
	if cur == nil {
		if len(s.sessions) >= maxCurrent {
			s.endOldest()
		}
		cur = &current{
			id: newID(), owner: c.Owner, started: now,
			files: make(map[string]*File), dirty: make(map[string]bool),
		}
		s.sessions[c.Key] = cur
	}
	if c.Name != "" {
		cur.client = clean(c.Name)
	}
	cur.seen, cur.fresh = now, true
	return cur
}

func (s *Store) endOldest() {
	s.end(slices.MinFunc(slices.Collect(maps.Keys(s.sessions)), func(a, b string) int {
		return s.sessions[a].seen.Compare(s.sessions[b].seen)
	}))
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand
	return hex.EncodeToString(b[:])
}

// Close ends all sessions, writes the rest until ctx ends, and closes the database.
func (s *Store) Close(ctx context.Context) error {
	s.writer.Stop()
	s.mu.Lock()
	for key := range s.sessions {
		s.end(key)
	}
	s.mu.Unlock()
	err := s.flush(ctx)
	if err != nil {
		err = fmt.Errorf("write the last activity: %w", err)
	}
	s.runs.close() // another process may take up the rest
	return errors.Join(err, s.db.Close())
}
