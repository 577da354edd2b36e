package activity

import (
	"cmp"
	"slices"
	"time"
)

// The bounds of one session. More is counted, but not listed.
const (
	maxFiles       = 2_000
	maxTopics      = 200
	maxDiscoveries = 1_000
)

// Silence is how long after its last heartbeat an unended session of another process counts as interrupted.
const Silence = 2 * time.Minute

// A Status is the state of a session.
type Status string

// The states of a session.
const (
	Active      Status = "active"
	Ended       Status = "ended"
	Interrupted Status = "interrupted" // its process is gone without ending it
)

// A Session is one client's activity from its first call to its end.
type Session struct {
	ID      string // 32 hexadecimal digits
	Owner   string // the client that may see it
	Client  string // the client program's name and version; "" if it gave none
	Status  Status
	Started time.Time
	// Until is when it ended or, if it has not, its last heartbeat.
	Until       time.Time
	ToolCalls   int
	Files       []File // the most used first
	Topics      []string
	Discoveries []Discovery
}

// A File is a file in a client's calls.
type File struct {
	Path  string // in the form of the Contents API
	Count int    // calls that name it
	Last  time.Time
}

// A Discovery is a finding that a client has noted.
type Discovery struct {
	Text     string
	Solution string // of a solved issue, else ""
	Module   string // of the project, "" for none
	At       time.Time
}

// sortFiles puts the most used files first.
func (s *Session) sortFiles() {
	slices.SortFunc(s.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last), cmp.Compare(a.Path, b.Path))
	})
}

// current is a current session, with its parts that are not in the database yet.
type current struct {
	id, owner, client string
	started, seen     time.Time
	ended             bool
	calls             int
	files             map[string]*File
	topics            []string
	discoveries       []Discovery

	fresh       bool            // something besides the lists below must be written
	dirty       map[string]bool // files to be written
	wroteTopics int             // how many of the topics, and of the discoveries, are written
	wroteFinds  int
}

// snapshot returns a copy for other goroutines.
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
