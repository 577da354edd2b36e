package lease

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/collab/mentions"
)

const (
	// prefix begins the keys of claims in the state map. A key continues with the subject, a colon, and the process.
	prefix = "nbduet:claim:"
	// keptFor is how long a claim is kept after its process last used it.
	keptFor = time.Hour
	// maxProcess is the maximum length of a process name.
	maxProcess = 64
)

// record is one process's record to a mention.
type record struct {
	of, process string
	At          time.Time
	// Replica is the process's replica in the room, which identifies it while it has no clients there.
	Replica string
	// Final is set once the process has the mention, and Answered once it has answered it.
	Final, Answered bool
}

// subject identifies a mention in claims; "" if other processes cannot identify it.
func subject(m mentions.Mention) string {
	what := "cell:" + m.Mark
	switch {
	case m.InChat():
		what = "message:" + m.Message
	case m.Mark == "":
		return ""
	}
	sum := sha256.Sum256([]byte(what))
	return hex.EncodeToString(sum[:12])
}

func (c record) key() string { return prefix + c.of + ":" + c.process }

func (c record) value() map[string]any {
	return map[string]any{"at": c.At.UTC().Format(time.RFC3339), "replica": c.Replica, "final": c.Final, "answered": c.Answered}
}

// before orders the undecided claims of one mention.
func (c record) before(other record) bool {
	a, b := sha256.Sum256([]byte(c.key())), sha256.Sum256([]byte(other.key()))
	return cmp.Or(slices.Compare(a[:], b[:]), strings.Compare(c.process, other.process)) < 0
}

// recordsIn reads the claims of a state. Any client can write there, so malformed entries are ignored.
func recordsIn(state map[string]any) (all []record) {
	for key, v := range state {
		of, process, ok := strings.Cut(strings.TrimPrefix(key, prefix), ":")
		said, is := v.(map[string]any)
		if !ok || !is || of == "" || process == "" || len(process) > maxProcess || strings.Contains(process, ":") {
			continue
		}
		c := record{of: of, process: process}
		at, _ := said["at"].(string)
		c.At, _ = time.Parse(time.RFC3339, at)
		c.Replica, _ = said["replica"].(string)
		c.Final, _ = said["final"].(bool)
		c.Answered, _ = said["answered"].(bool)
		all = append(all, c)
	}
	return all
}

// spent returns the entries that remove claims which are no longer needed: old claims of this process, and of processes that
// have left.
func spent(all []record, process string, here present, now time.Time) map[string]any {
	entries := map[string]any{}
	for _, c := range all {
		old := now.Sub(c.At) > keptFor
		c.Answered = c.Answered && c.process == process // the answer of another process does not keep it
		if old && (c.process == process || !here.stands(c)) {
			entries[c.key()] = nil
		}
	}
	return entries
}
