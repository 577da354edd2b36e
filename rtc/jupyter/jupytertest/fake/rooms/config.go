package rooms

import (
	"fmt"
	"net/http"
	"time"
)

// Files is the rooms' access to a server's files. Paths are those of the contents API.
type Files interface {
	// Path returns the present path of a file id; it follows renames through the server.
	Path(fileID string) (path string, ok bool)
	// Load reads a file. An error that the contents API answers with a status is an *[HTTPError].
	Load(path, format, typ string) (content []byte, info Info, err error)
	// Store writes a file.
	Store(path string, content []byte) (Info, error)
	// Stat returns a file's Info.
	Stat(path string) (Info, error)
}

// Info describes a file.
type Info struct {
	Modified time.Time
	Writable bool
	// Hash is the SHA-256 of the file's bytes, in hex.
	Hash string
}

// HTTPError is an error with a status.
type HTTPError struct {
	Status  int
	Message string
}

// Error returns status and message.
func (e *HTTPError) Error() string { return fmt.Sprintf("HTTP %d: %s", e.Status, e.Message) }

// Config configures a server's rooms. Delays of zero are the real server's defaults; negative ones mean never.
type Config struct {
	// Files are the server's files. If nil, all rooms are in memory.
	Files Files
	// SessionOK reports whether this server accepts a session id; nil accepts all.
	SessionOK func(sessionID string) bool
	// Username returns the user name of a request, for events.
	Username func(r *http.Request) string
	// Emit receives the events of rooms; it must not block.
	Emit func(schema string, data map[string]any)
	// Store holds the state that outlives the rooms; nil makes a new one.
	Store *Store
	// SaveDelay is the time from the last change of a document to its save: 1 s.
	SaveDelay time.Duration
	// CleanupDelay is the time from the departure of the last client to the end of the room: 60 s.
	CleanupDelay time.Duration
	// PollInterval is the time between two checks of a file: 1 s.
	PollInterval time.Duration
	// Chat makes chat files chats, as jupyterlab-chat does; without it they are texts.
	Chat bool
	// Progressive loads a notebook cell by cell while clients are already in the room.
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
