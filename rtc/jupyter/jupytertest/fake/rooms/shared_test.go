package rooms

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/nbduet/nbduet/ydoc/crdt"
)

var update = flag.Bool("update", false, "write down what the server of NBDUET_TEST_SERVER_URL does")

// place is the server on which the script runs: ours, or a real one.
type place interface {
	write(path, content string) string
	file(path string) string
	os(path string) string
	rename(path, to string) error
	erase(path string) error
	// open connects to the room of a path, in the given format and type.
	open(format, typ, path, session string) (*peer, error)
	// openRoom connects to a room by its name, in the URL's form.
	openRoom(id string) (*peer, error)
}

// TestLikeTheRealServer runs scripts on our server and compares the results with those recorded in testdata. If
// NBDUET_TEST_SERVER_URL names a real server, it compares that server's results.
func TestLikeTheRealServer(t *testing.T) {
	t.Run("beside", func(t *testing.T) {
		for name, script := range map[string]func(s *script){
			"notebook": (*script).notebook, "frames": (*script).frames, "filechanges": (*script).fileChanges, "rewrites": (*script).rewrites,
			"malformed": (*script).malformed, "memory": (*script).memory, "texts": (*script).texts,
		} {
			t.Run(name, func(t *testing.T) {
				// A script mostly waits for the server, and has its own files and rooms. Recordings must be of one
				// script at a time.
				if realServer() != "" && !*update {
					t.Parallel()
				}
				likeTheRealServer(t, name, script)
			})
		}
	})
	// It waits for rooms to end: on a real server only when it records.
	if realServer() == "" || *update {
		t.Run("history", func(t *testing.T) { likeTheRealServer(t, "history", (*script).history) })
	}
	// After the others: a room that cannot be opened occasionally ends all others of a real server.
	t.Run("refusals", func(t *testing.T) { likeTheRealServer(t, "refusals", (*script).refusals) })
}

// realServer returns the address of a real server, or "".
func realServer() string { return os.Getenv("NBDUET_TEST_SERVER_URL") }

// likeTheRealServer runs one script.
func likeTheRealServer(t *testing.T, name string, run func(s *script)) {
	golden := "testdata/" + name + ".txt"
	s := &script{t: t}
	if base := realServer(); base != "" {
		s.place = newReal(t, base)
		s.expect(golden)
		run(s)
	} else {
		synctest.Test(t, func(t *testing.T) {
			s.t, s.place = t, local{newWorld(t, Config{SessionOK: func(id string) bool { return id == "session" }})}
			run(s)
		})
		s.t = t
	}
	s.compare(golden)
}

// compare compares the results with the recorded ones.
func (s *script) compare(golden string) {
	got := s.out.String()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("what happened is not what is written down in %s:\n%s", golden, difference(string(want), got))
	}
}

// difference shows where two texts differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	step := ""
	for i := range max(len(w), len(g)) {
		var lw, lg string
		if i < len(w) {
			lw = w[i]
		}
		if i < len(g) {
			lg = g[i]
		}
		if strings.HasPrefix(lw, "## ") {
			step = lw
		}
		if lw != lg {
			fmt.Fprintf(&b, "line %d, in %q\n  written down: %s\n  happened:     %s\n", i+1, step, lw, lg)
			if b.Len() > 4000 {
				break
			}
		}
	}
	return b.String()
}

// script acts on a server and records the results.
type script struct {
	t *testing.T
	place
	out   strings.Builder
	peers []*peer
	names []string
	files map[string]string

	steps    []string   // the recorded text of each, if a real server is used
	step0    int        // where the current one begins in out
	gathered [][]string // each client's frames of the current step
}

// quiet is longer than the server waits before it saves; a file is checked within another second. If something
// happened towards the end of that time, more may come.
const quiet, look, more = 1500 * time.Millisecond, 1100 * time.Millisecond, 500 * time.Millisecond

// step performs one action, and records clients' frames and changed files once the server is quiet.
func (s *script) step(name string, f func()) {
	s.t.Helper()
	s.begin(name)
	f()
	time.Sleep(quiet - more)
	s.settle()
}

// brief is step for an action that causes no save and no check of a file.
func (s *script) brief(name string, f func()) {
	s.t.Helper()
	s.begin(name)
	f()
	s.settle()
}

func (s *script) begin(name string) {
	if len(s.steps) > 0 {
		s.steps = s.steps[1:]
	}
	fmt.Fprintf(&s.out, "## %s\n", name)
	s.step0 = s.out.Len()
}

// patient is how long to wait for a real server to produce the recorded results.
const patient = 30 * time.Second

// expect reads the recorded results, so that the script can wait for them: a busy machine may pause for longer than
// quiet.
func (s *script) expect(golden string) {
	if *update {
		return
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		s.t.Fatal(err)
	}
	s.steps = regexp.MustCompile(`(?m)^## .*\n`).Split(string(b), -1) // the part before the first, and each step
}

// shapes match the lines with which a script records a document, which are not results of a step.
var shapes = regexp.MustCompile(`^(cells|meta|source|state): `)

// done reports whether all recorded results of a step have occurred, if any are recorded.
func (s *script) done() bool {
	if len(s.steps) == 0 {
		return true
	}
	text, _ := s.happened()
	left, ok := strings.CutPrefix(s.steps[0], s.out.String()[s.step0:]+text)
	return ok && (left == "" || shapes.MatchString(left))
}

func (s *script) settle() {
	for end := time.Now().Add(patient); ; {
		for before := -1; before != s.sent(); {
			before = s.sent()
			time.Sleep(more)
		}
		s.gather()
		if s.done() || time.Now().After(end) {
			break
		}
	}
	text, now := s.happened()
	s.out.WriteString(text)
	s.gathered = nil
	maps.Copy(s.files, now)
}

// gather collects the clients' frames.
func (s *script) gather() {
	for i, p := range s.peers {
		if i == len(s.gathered) {
			s.gathered = append(s.gathered, nil)
		}
		s.gathered[i] = append(s.gathered[i], p.look()...)
	}
}

// sent returns the number of frames for clients since the last look.
func (s *script) sent() (n int) {
	for _, p := range s.peers {
		p.mu.Lock()
		n += len(p.seen)
		p.mu.Unlock()
	}
	return n
}

// external is step for changes that the server reads from the disk.
func (s *script) external(name string, f func()) {
	s.t.Helper()
	s.step(name, func() { f(); time.Sleep(look) })
}

// happened returns the collected frames and the changed files in recorded form, and those files.
func (s *script) happened() (text string, files map[string]string) {
	var out strings.Builder
	files = map[string]string{}
	for i, lines := range s.gathered {
		for _, line := range lines {
			fmt.Fprintf(&out, "%s: %s\n", s.names[i], s.plain(line))
		}
	}
	for path, was := range s.files {
		b, err := os.ReadFile(s.os(path))
		if err != nil || string(b) == was {
			continue
		}
		files[path] = string(b)
		if !utf8.Valid(b) || bytes.ContainsRune(b, '\r') {
			b = fmt.Appendf(nil, "%q\n", b)
		}
		fmt.Fprintf(&out, "%s:\n%s", path, s.plain(string(b)))
	}
	return out.String(), files
}

// random matches the parts that differ each time: ids and hashes.
var random = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64}`)

// plain replaces the parts that differ each time.
func (s *script) plain(text string) string {
	if r, ok := s.place.(*real); ok {
		text = strings.ReplaceAll(text, r.name+"/", "")
	}
	return random.ReplaceAllString(text, "…")
}

// watch opens a room and names the client.
func (s *script) watch(name string, p *peer, err error) *peer {
	if err != nil {
		fmt.Fprintf(&s.out, "%s: %v\n", name, err)
		return nil
	}
	s.peers, s.names = append(s.peers, p), append(s.names, name)
	for end := time.Now().Add(10 * time.Second); !p.in() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return p
}

// track makes a file whose changes are recorded.
func (s *script) track(path, content string) string {
	s.files = map[string]string{path: content}
	return s.write(path, content)
}

// shape records the content of a client's replica, with its shared types.
func (s *script) shape(p *peer) {
	p.replica.Read("read", func() {
		for _, t := range []*crdt.Type{p.cells, p.meta, p.state, p.source} {
			var b strings.Builder
			describe(&b, t, " ")
			fmt.Fprintf(&s.out, "%s: %s\n", t.Root(), s.plain(b.String()))
		}
	})
}

func describe(b *strings.Builder, t *crdt.Type, indent string) {
	plain := func(v any) {
		j, _ := json.Marshal(v) // it is JSON
		b.Write(j)
	}
	switch t.Kind() {
	case crdt.KindText:
		fmt.Fprintf(b, "text %q", t.Characters())
	case crdt.KindMap:
		b.WriteString("map")
		for _, k := range t.Keys() {
			fmt.Fprintf(b, "\n%s%s: ", indent, k)
			for _, kind := range []uint8{crdt.KindText, crdt.KindMap, crdt.KindArray} {
				if c := t.Child(k, kind); c != nil {
					describe(b, c, indent+" ")
				}
			}
			if j := t.Get(k); t.Child(k, crdt.KindText) == nil && t.Child(k, crdt.KindMap) == nil && t.Child(k, crdt.KindArray) == nil {
				plain(j)
			}
		}
	case crdt.KindArray:
		b.WriteString("list")
		for c, v := range t.Entries() {
			fmt.Fprintf(b, "\n%s- ", indent)
			if c != nil {
				describe(b, c, indent+" ")
			} else {
				plain(v)
			}
		}
	}
}

// leave ends all clients.
func (s *script) leave() {
	for _, p := range s.peers {
		p.leave()
	}
	s.peers, s.names = nil, nil
}
