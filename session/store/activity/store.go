package activity

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Memory is the path of a database that ends with the process.
const Memory = ":memory:"

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
	log  *slog.Logger
	runs *Runs

	mu        sync.Mutex
	sessions  map[string]*current // by the client's key
	ended     []*current          // ended, with unwritten data
	lastError string              // why the last write failed; "" for none

	wake   chan struct{}
	stop   context.CancelFunc
	ctx    context.Context
	writer sync.WaitGroup
}

// Open opens or creates the database. The caller closes the Store.
func Open(ctx context.Context, opt Options) (*Store, error) {
	db, err := open(opt)
	if err != nil {
		return nil, fmt.Errorf("open the database of activity %s: %w", opt.Path, err)
	}
	if err := inTx(ctx, db, func(tx *sql.Tx) error { return migrate(ctx, tx) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database of activity %s: %w", opt.Path, err), db.Close())
	}
	s := &Store{db: db, log: opt.Logger, sessions: make(map[string]*current), wake: make(chan struct{}, 1)}
	s.runs = &Runs{db: db, process: newID()}
	if opt.Path != Memory {
		s.runs.dir = opt.Path + ".locks"
	}
	s.log = cmp.Or(s.log, slog.New(slog.DiscardHandler))
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.writer.Go(s.write)
	return s, nil
}

// open opens the file so that other processes can use it, and a killed process leaves it intact.
func open(opt Options) (*sql.DB, error) {
	query := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(normal)", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}
	name := Memory
	if opt.Path != Memory {
		path, err := filepath.Abs(opt.Path)
		if err != nil {
			return nil, err
		}
		if err := private(path); err != nil {
			return nil, err
		}
		name = databaseURL(runtime.GOOS, path)
	}
	db, err := sql.Open("sqlite", name+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection to :memory: would be a separate database
	return db, nil
}

// private creates the file, and its folder, for the user alone.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

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
	s.changed()
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
	s.changed()
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
		s.changed()
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

// changed wakes the writer.
func (s *Store) changed() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand
	return hex.EncodeToString(b[:])
}

// Close ends all sessions, writes the rest until ctx ends, and closes the database.
func (s *Store) Close(ctx context.Context) error {
	s.stop()
	s.writer.Wait()
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

// databaseURL returns SQLite's URL for the file at an absolute path on the system goos.
func databaseURL(goos, path string) string {
	if goos == "windows" {
		path = strings.ReplaceAll(path, `\`, "/")
		if !strings.HasPrefix(path, "/") { // it begins with a drive
			path = "/" + path
		}
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}
