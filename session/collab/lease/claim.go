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
	// prefix begins the keys of claims in the state map. Behind it stand what is claimed, a colon, and the process.
	prefix = "nbduet:claim:"
	// keptFor is how long a claim is kept whose process does nothing with it any more.
	keptFor = time.Hour
	// maxProcess is the longest name of a process.
	maxProcess = 64
)

// claim is one process's word that a mention is its own.
type claim struct {
	of, process string
	At          time.Time
	// Replica is the process's in the room, by which it is there while it works for nobody.
	Replica string
	// Final says that the process has the mention, and Answered that it has answered it, too.
	Final, Answered bool
}

// subject is what is claimed of a mention, "" if nobody else could know it by that.
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

func (c claim) key() string { return prefix + c.of + ":" + c.process }

func (c claim) value() map[string]any {
	return map[string]any{"at": c.At.UTC().Format(time.RFC3339), "replica": c.Replica, "final": c.Final, "answered": c.Answered}
}

// before reports whether a claim comes before another of the same mention, if neither is decided.
func (c claim) before(other claim) bool {
	a, b := sha256.Sum256([]byte(c.key())), sha256.Sum256([]byte(other.key()))
	return cmp.Or(slices.Compare(a[:], b[:]), strings.Compare(c.process, other.process)) < 0
}

// claimsIn reads the claims of a state. Anybody can write there: what is malformed is no claim.
func claimsIn(state map[string]any) (all []claim) {
	for key, v := range state {
		of, process, ok := strings.Cut(strings.TrimPrefix(key, prefix), ":")
		said, is := v.(map[string]any)
		if !ok || !is || of == "" || process == "" || len(process) > maxProcess || strings.Contains(process, ":") {
			continue
		}
		c := claim{of: of, process: process}
		at, _ := said["at"].(string)
		c.At, _ = time.Parse(time.RFC3339, at)
		c.Replica, _ = said["replica"].(string)
		c.Final, _ = said["final"].(bool)
		c.Answered, _ = said["answered"].(bool)
		all = append(all, c)
	}
	return all
}

// spent are the entries by which those claims are removed that no process has a use for any more: those of this one, and of
// such as are gone, that are old.
func spent(all []claim, process string, here present, now time.Time) map[string]any {
	entries := map[string]any{}
	for _, c := range all {
		old := now.Sub(c.At) > keptFor
		c.Answered = c.Answered && c.process == process // whose process is gone
		if old && (c.process == process || !here.stands(c)) {
			entries[c.key()] = nil
		}
	}
	return entries
}
