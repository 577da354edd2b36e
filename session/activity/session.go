package activity

import (
	"cmp"
	"slices"
	"time"
)

// How much of one session is kept. What comes beyond is counted, and not told apart.
const (
	maxFiles       = 2_000
	maxTopics      = 200
	maxDiscoveries = 1_000
)

// Silence is how long after its last sign of life a session of another process, or of an earlier one, counts as
// interrupted if it has not been ended.
const Silence = 2 * time.Minute

// A Status says how a session stands.
type Status string

// The states of a session.
const (
	Active      Status = "active"
	Ended       Status = "ended"
	Interrupted Status = "interrupted" // its process is gone and never ended it
)

// A Session is what one client did between its coming and its going.
type Session struct {
	ID      string // 32 hexadecimal digits
	Owner   string // who may see it
	Client  string // the client program's own name and version; "" where it did not say
	Status  Status
	Started time.Time
	// Until is when it ended or, if it has not, when it was last heard of.
	Until       time.Time
	ToolCalls   int
	Files       []File // the most used first
	Topics      []string
	Discoveries []Discovery
}

// A File is a file that a client had to do with.
type File struct {
	Path  string // as the Contents API has it
	Count int    // calls about it
	Last  time.Time
}

// A Discovery is something that a client found out and wants to be kept.
type Discovery struct {
	Text     string
	Solution string // of a solved issue; "" for others
	Module   string // of the project that it is about; "" for none
	At       time.Time
}

// sortFiles puts the files into the order in which they are told.
func (s *Session) sortFiles() {
	slices.SortFunc(s.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last), cmp.Compare(a.Path, b.Path))
	})
}

// current is a session that goes on, and what of it is not in the database yet.
type current struct {
	id, owner, client string
	started, seen     time.Time
	ended             bool
	calls             int
	files             map[string]*File
	topics            []string
	discoveries       []Discovery

	fresh       bool            // something besides the lists below is to be written
	dirty       map[string]bool // files to be written
	wroteTopics int             // how many of the topics, and of the discoveries, are written
	wroteFinds  int
}

// snapshot is what others are told of it.
func (c *current) snapshot() Session {
	s := Session{
		ID: c.id, Owner: c.owner, Client: c.client, Status: Active, Started: c.started, Until: c.seen, ToolCalls: c.calls,
		Topics: slices.Clone(c.topics), Discoveries: slices.Clone(c.discoveries),
	}
	if c.ended {
		s.Status = Ended
	}
	for _, f := range c.files {
		s.Files = append(s.Files, *f)
	}
	s.sortFiles()
	return s
}

// touch counts one call about a file.
func (c *current) touch(path string, now time.Time) {
	f := c.files[path]
	if f == nil {
		if len(c.files) >= maxFiles {
			return
		}
		f = &File{Path: path}
		c.files[path] = f
	}
	f.Count++
	f.Last = now
	c.dirty[path] = true
}
