package rooms

import (
	"fmt"
	"net/http"
	"time"
)

// Files is what rooms need to know of a server's files. Paths are those of the contents API.
type Files interface {
	// Path is the present path of a file that has an id; it follows what is renamed through the server.
	Path(fileID string) (path string, ok bool)
	// Load reads a file. A fault that the contents API answers with a status is an *[HTTPError].
	Load(path, format, typ string) (content []byte, info Info, err error)
	// Store writes a file.
	Store(path string, content []byte) (Info, error)
	// Stat looks at a file.
	Stat(path string) (Info, error)
}

// Info is what there is to know of a file.
type Info struct {
	Modified time.Time
	Writable bool
	// Hash is the SHA-256 of the file's bytes, in hex.
	Hash string
}

// HTTPError is a fault with a status.
type HTTPError struct {
	Status  int
	Message string
}

// Error says status and message.
func (e *HTTPError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message) }

// Config says how a server's rooms behave. Delays of zero are the real server's usual ones; negative ones mean never.
type Config struct {
	// Files are the server's files. Without any there are only rooms in memory.
	Files Files
	// SessionOK says whether a session id is one that this server accepts; nil accepts all.
	SessionOK func(sessionID string) bool
	// Username is the name of who made a request, for events.
	Username func(r *http.Request) string
	// Emit takes the events of rooms; it must not wait.
	Emit func(schema string, data map[string]any)
	// Store keeps what outlives the rooms; nil is a new one.
	Store *Store
	// SaveDelay is from the last change of a document to its save: 1 s.
	SaveDelay time.Duration
	// CleanupDelay is from the last client's leaving to the end of the room: 60 s.
	CleanupDelay time.Duration
	// PollInterval is between two looks at a file: 1 s.
	PollInterval time.Duration
	// Chat has the rooms of chats be read as such, as jupyterlab-chat does; without it they are texts.
	Chat bool
	// Progressive has a notebook loaded cell by cell while clients are in the room already.
	Progressive bool
}

func (c Config) orDefaults() Config {
	if c.SessionOK == nil {
		c.SessionOK = func(string) bool { return true }
	}
	if c.Username == nil {
		c.Username = func(*http.Request) string { return "" }
	}
	if c.Emit == nil {
		c.Emit = func(string, map[string]any) {}
	}
	if c.Store == nil {
		c.Store = &Store{}
	}
	for _, d := range []struct {
		at    *time.Duration
		usual time.Duration
	}{{&c.SaveDelay, time.Second}, {&c.CleanupDelay, time.Minute}, {&c.PollInterval, time.Second}} {
		if *d.at == 0 {
			*d.at = d.usual
		}
	}
	return c
}

// The schemas of the events that rooms emit.
const (
	SessionSchema   = "https://schema.jupyter.org/jupyter_collaboration/session/v1"
	AwarenessSchema = "https://schema.jupyter.org/jupyter_collaboration/awareness/v1"
)
