package seeds

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// patience is the time limit of an answer.
const patience = 2 * time.Minute

// A program is the built program with a client that sends a check's requests and keeps the raw answers.
type program struct {
	*agent.Process
	t       testing.TB
	welcome string // its instructions

	mu      sync.Mutex
	sent    int
	waiting map[int]chan answer
	notes   []answer // notifications: Method and Result, which has their parameters
	wg      sync.WaitGroup
}

// An answer is one message of the program, decoded.
type answer struct {
	Method  string
	Result  any
	Code    int // of an error, else 0
	Message string
	Data    any
	// Images are the MIME types of the images in a tool's answer.
	Images []string
	// Texts are the texts of a tool's answer.
	Texts []string
	// Failed reports that a tool refused or failed.
	Failed bool
	// JSON is the first text of a tool's answer decoded from JSON, or nil.
	JSON any
	// Raw is the whole message.
	Raw string
}

// env returns a program's environment: this process's without nbduet's variables, plus the given ones.
func env(more ...string) []string {
	all := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "NBDUET_") || strings.HasPrefix(name, "JUPYTER_") || strings.HasPrefix(name, "DOCUMENT_") || strings.HasPrefix(name, "RUNTIME_") || name == "LOG_LEVEL" || name == "MCP_PORT"
	})
	return append(all, more...)
}

// reaching returns the environment of a program that works on a server, without a record of earlier work.
func reaching(url, token string, more ...string) []string {
	return env(append([]string{"JUPYTER_SERVER_URL=" + url, "JUPYTER_TOKEN=" + token, "NBDUET_STATE=:memory:"}, more...)...)
}

// start runs the program on a server, without a record of earlier work.
func start(t testing.TB, s *jupytertest.Server, args ...string) *program {
	t.Helper()
	return startWith(t, agent.Options{Args: args, Env: reaching(s.URL, s.Token)})
}

// nowhere runs the program with a missing server.
func nowhere(t testing.TB) *program {
	t.Helper()
	return startWith(t, agent.Options{Env: reaching("http://127.0.0.1:9", "x")})
}

// startWith runs the program and sends the handshake; the program ends with the test.
func startWith(t testing.TB, opt agent.Options) *program {
	t.Helper()
	opt.Binary = binary
	process, err := agent.Spawn(opt)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Process: process, t: t, waiting: make(map[int]chan answer)}
	p.wg.Go(p.read)
	t.Cleanup(p.stop)
	hello := p.ask("initialize", dict{"protocolVersion": "2025-06-18", "capabilities": dict{}, "clientInfo": dict{"name": "seeds", "version": "1"}})
	if hello.Code != 0 {
		t.Fatalf("initialize: %s; the log: %s", hello.Raw, p.Log())
	}
	p.welcome = text(hello.Result, "instructions")
	p.send(dict{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return p
}

// stop ends the program, as a client that disconnects does.
func (p *program) stop() {
	_ = p.Stdin.Close() // it may have exited already
	code, err := p.Wait(20 * time.Second)
	if err != nil {
		p.Kill()
	}
	p.wg.Wait()
	must.NoError(p.t, err)
	test.Eq(p.t, 0, code)
	test.StrNotContains(p.t, p.Log(), "DATA RACE")
}

// dict is a JSON object.
type dict = map[string]any

func (p *program) send(message dict) {
	p.t.Helper()
	b, err := json.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.Stdin.Write(append(b, '\n')); err != nil {
		p.t.Fatalf("%v; the program's log: %s", err, p.Log())
	}
}

// begin sends a request and returns a channel for its answer.
func (p *program) begin(method string, params any) <-chan answer {
	p.t.Helper()
	p.mu.Lock()
	p.sent++
	id, come := p.sent, make(chan answer, 1)
	p.waiting[id] = come
	p.mu.Unlock()
	p.send(dict{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return come
}

// ask sends a request and waits for its answer.
func (p *program) ask(method string, params any) answer {
	p.t.Helper()
	select {
	case a := <-p.begin(method, params):
		return a
	case <-p.Exited():
		p.t.Fatalf("%s: the program has ended: %s", method, p.Log())
	case <-time.After(patience):
		p.t.Fatalf("%s: no answer; the program's log: %s", method, p.Log())
	}
	panic("not reached")
}

// resource reads a resource.
func (p *program) resource(uri string) answer {
	p.t.Helper()
	return p.ask("resources/read", dict{"uri": uri})
}

// call calls a tool with an object of arguments, nil for none.
func (p *program) call(tool string, args dict) answer {
	p.t.Helper()
	if args == nil {
		args = dict{}
	}
	return p.ask("tools/call", dict{"name": tool, "arguments": args})
}

// good is call for a tool that must succeed.
func (p *program) good(tool string, args dict) answer {
	p.t.Helper()
	a := p.call(tool, args)
	must.False(p.t, a.Failed, must.Sprint(tool, args))
	must.Eq(p.t, 0, a.Code, must.Sprint(tool, args))
	return a
}

// all returns the members of all pages of a list, by the value of one of their fields.
func (p *program) all(method, member, by string) map[string]any {
	p.t.Helper()
	all := make(map[string]any)
	for params := (dict{}); ; {
		page := p.ask(method, params).Result
		for _, m := range list(page, member) {
			all[text(m, by)] = m
		}
		next := text(page, "nextCursor")
		if next == "" {
			return all
		}
		params = dict{"cursor": next}
	}
}

// insist is good, but calls a second time if the first answer is an error because of another client's change.
func (p *program) insist(tool string, args dict) answer {
	p.t.Helper()
	if a := p.call(tool, args); !a.Failed {
		return a
	}
	return p.good(tool, args)
}

// logs reports whether the program's log eventually matches a pattern: it arrives independently of the answers.
func (p *program) logs(pattern string) bool {
	says := regexp.MustCompile(pattern)
	return eventually(func() bool { return says.MatchString(p.Log()) })
}

// noted returns the notifications of a method so far.
func (p *program) noted(method string) (all []answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.notes {
		if n.Method == method {
			all = append(all, n)
		}
	}
	return all
}

// read reads the program's output until its end.
func (p *program) read() {
	for lines := bufio.NewReader(p.Stdout); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		id, a, err := decode(line)
		if err != nil {
			p.t.Errorf("the program says %q: %v", line, err)
			continue
		}
		p.mu.Lock()
		if come := p.waiting[id]; come != nil {
			come <- a
			delete(p.waiting, id)
		} else {
			p.notes = append(p.notes, a)
		}
		p.mu.Unlock()
	}
}

// decode reads a message.
func decode(line string) (id int, a answer, err error) {
	var m struct {
		ID     int
		Method string
		Params any
		Result any
		Error  struct {
			Code    int
			Message string
			Data    any
		}
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return 0, answer{}, err
	}
	a = answer{Method: m.Method, Result: m.Result, Code: m.Error.Code, Message: m.Error.Message, Data: m.Error.Data, Raw: line}
	if m.Method != "" {
		a.Result = m.Params
	}
	a.Failed = at(a.Result, "isError") == true
	for _, content := range list(a.Result, "content") {
		switch at(content, "type") {
		case "text":
			a.Texts = append(a.Texts, text(content, "text"))
		case "image":
			a.Images = append(a.Images, text(content, "mimeType"))
		}
	}
	if len(a.Texts) > 0 {
		if json.Unmarshal([]byte(a.Texts[0]), &a.JSON) != nil {
			a.JSON = nil
		}
	}
	return m.ID, a, nil
}

// at returns the value at a path of JSON, such as "contents.0.uri", or nil.
func at(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		if path == "" {
			break
		}
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// text returns the text at a path, or "".
func text(v any, path string) string {
	s, _ := at(v, path).(string)
	return s
}

// number returns the number at a path, or -1.
func number(v any, path string) float64 {
	n, ok := at(v, path).(float64)
	if !ok {
		return -1
	}
	return n
}

// list returns the list at a path, or nil.
func list(v any, path string) []any {
	l, _ := at(v, path).([]any)
	return l
}

// find returns the first member of a list with value at the path, or nil.
func find(l []any, path string, value any) any {
	for _, m := range l {
		if at(m, path) == value {
			return m
		}
	}
	return nil
}

// characters returns the number of characters of the text at a path.
func characters(v any, path string) int { return utf8.RuneCountInString(text(v, path)) }

// has reports whether an object has all the members.
func has(v any, names ...string) bool {
	m, _ := v.(map[string]any)
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := m[name]; return !ok })
}

// decoded decodes JSON in a text.
func decoded(s string) (v any) {
	if json.Unmarshal([]byte(s), &v) != nil {
		return nil
	}
	return v
}
