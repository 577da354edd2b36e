package python_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/python"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is one that a cell has sent: its type and content.
type message struct {
	kind    string
	content map[string]any
}

// transcript is an IO that keeps what it is told.
type transcript struct {
	messages []message
	buffered map[string]string
	input    func(ctx context.Context, prompt string, password bool) (string, error)
}

func newTranscript() *transcript { return &transcript{buffered: map[string]string{}} }

func (r *transcript) add(kind string, content map[string]any) {
	r.messages = append(r.messages, message{kind, content})
}

func (r *transcript) Stream(name, text string) { r.buffered[name] += text }

func (r *transcript) Flush(name string) {
	text := r.buffered[name]
	r.buffered[name] = ""
	if n := len(r.messages); n > 0 && text != "" && r.messages[n-1].kind == "stream" && r.messages[n-1].content["name"] == name {
		r.messages[n-1].content["text"] = r.messages[n-1].content["text"].(string) + text
	} else if text != "" {
		r.add("stream", map[string]any{"name": name, "text": text})
	}
}

func decode(b json.RawMessage) map[string]any {
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}
	return out
}

func (r *transcript) Display(d python.Display) {
	kind := "display_data"
	if d.Update {
		kind = "update_display_data"
	}
	r.add(kind, map[string]any{"data": decode(d.Data), "metadata": decode(d.Metadata), "transient": decode(d.Transient)})
}

func (r *transcript) ClearOutput(wait bool) { r.add("clear_output", map[string]any{"wait": wait}) }

func (r *transcript) Result(data, metadata json.RawMessage) {
	r.add("execute_result", map[string]any{"data": decode(data), "metadata": decode(metadata)})
}

func (r *transcript) Error(e python.Error) {
	lines := []any{}
	for _, l := range e.Traceback {
		lines = append(lines, l)
	}
	r.add("error", map[string]any{"ename": e.Name, "evalue": e.Value, "traceback": lines})
}

func (r *transcript) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if r.input == nil {
		return "Ada", nil
	}
	return r.input(ctx, prompt, password)
}

func (r *transcript) Comm(kind string, content json.RawMessage, _ [][]byte) {
	r.add(kind, decode(content))
}

func run(in *python.Interp, code string) (*transcript, python.Outcome) {
	r := newTranscript()
	out := in.Run(context.Background(), python.Request{Code: code, StoreHistory: true}, r)
	r.Flush("stdout")
	r.Flush("stderr")
	return r, out
}

// What cells send is what ipykernel 7.4 has sent, down to the tracebacks. Neighbouring texts of one stream are joined:
// where ipykernel cuts them is chance. testdata/cells.jsonl was recorded from one kernel, cell by cell.
func TestAsRecorded(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "cells.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var cell struct {
			Code string  `json:"code"`
			Out  [][]any `json:"out"`
		}
		if err := json.Unmarshal(lines.Bytes(), &cell); err != nil {
			t.Fatal(err)
		}
		want := newTranscript()
		for _, m := range cell.Out {
			kind, content := m[0].(string), m[1].(map[string]any)
			if kind == "stream" {
				want.Stream(content["name"].(string), content["text"].(string))
				want.Flush(content["name"].(string))
				continue
			}
			want.add(kind, content)
		}
		got, _ := run(in, cell.Code)
		if !reflect.DeepEqual(got.messages, want.messages) {
			t.Errorf("%q sent\n  %s\nwant\n  %s", cell.Code, show(got.messages), show(want.messages))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func show(list []message) string {
	var out []string
	for _, m := range list {
		b, _ := json.Marshal(m.content)
		out = append(out, m.kind+" "+string(b))
	}
	return strings.Join(out, "\n  ")
}

// stdout is the text that a cell prints; an exception is its last line.
func stdout(t *testing.T, in *python.Interp, code string) string {
	t.Helper()
	r, out := run(in, code)
	text := ""
	for _, m := range r.messages {
		if m.kind == "stream" {
			text += m.content["text"].(string)
		}
	}
	if out.Error != nil {
		text += out.Error.Name + ": " + out.Error.Value
	}
	return text
}

// Parts of the language that the recording has none of.
func TestLanguage(t *testing.T) {
	for code, want := range map[string]string{
		"def f():\n    for i in range(9):\n        try:\n            if i == 1: continue\n            if i == 3: break\n            print(i)\n        finally:\n            print('f')\n    return i\nprint(f())": "0\nf\nf\n2\nf\nf\n3\n",
		"def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    g(); return g()\nprint(f())":                                                                                "2\n",
		"n = 1\ndef f():\n    global n\n    n += 1\nf(); print(n)": "2\n",
		"class A:\n    x = 1\n    def __init__(self, y): self.y = y\n    @property\n    def z(self): return self.x + self.y\n    @staticmethod\n    def s(): return 's'\nclass B(A):\n    def __init__(self): super().__init__(5)\nprint(B().z, B.s(), isinstance(B(), A))": "6 s True\n",
		"class E(ValueError):\n    pass\ntry:\n    raise E('m')\nexcept (KeyError, ValueError) as e:\n    print(type(e).__name__, e, e.args)\nelse:\n    print('no')":                                                                                                       "E m ('m',)\n",

		"try:\n    e = 1\n    {}[1]\nexcept KeyError as e: pass\nprint('e' in globals())":  "False\n",
		"for i in range(3):\n    if i == 5: break\nelse:\n    print('else')":               "else\n",
		"a, *b = [1, 2, 3]; (c, d), f = (1, 2), 3; print(a, b, c, d, f)":                   "1 [2, 3] 1 2 3\n",
		"def f(a, *b, c=1, **d): return a, b, c, d\nprint(f(1, 2, *[3], c=4, **{'x': 5}))": "(1, (2, 3), 4, {'x': 5})\n",
		"print(1 < 2 < 3, 3 > 2 > 2, 1 is None, None is not 1, 3 not in [1])":              "True False False True True\n",
		"print({**{'a': 1}, 'b': 2}, {*[1], 2}, [*'ab'], {x: x**2 for x in range(3)})":     "{'a': 1, 'b': 2} {1, 2} ['a', 'b'] {0: 0, 1: 1, 2: 4}\n",
		"print(len('é😀'), 'é😀'[1], 'héllo'[1:3], 'abc'[::-1], [1, 2, 3][-2:])":             "2 😀 él cba [2, 3]\n",
		"if (n := 5) > 3: print(n)":                                                       "5\n",
		"print(sorted(['b', 'a'], key=lambda s: -ord(s)), max([1, 3, 2]))":                "['b', 'a'] 3\n",
		"x = [1]\nx += (2,)\nx.append(3); print(x, x.__contains__(3))":                    "[1, 2, 3] True\n",
		"import os\nos.environ.get('HOME', 'none'), print(os.path.exists('.'))":           "True\n",
		"import json\nprint(json.dumps({'a': [1.0, None, 'é']}), json.loads('[1, 2.5]'))": "{\"a\": [1.0, null, \"é\"]} [1, 2.5]\n",
		"def f(n): return f(n + 1)\nf(0)":                                                 "RecursionError: maximum recursion depth exceeded",
		"import pathlib\np = pathlib.Path('d') / 'x.txt'\np.parent.mkdir()\np.write_text('a\\nb')\nprint(p, p.exists(), [str(q) for q in pathlib.Path('.').glob('d/*')], open(p).readlines())": "d/x.txt True ['d/x.txt'] ['a\\n', 'b']\n",
		"while True:\n    break\nelse:\n    print('no')\nprint('end')": "end\n",
	} {
		in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
		if got := stdout(t, in, code); got != want {
			t.Errorf("%s\nprints %q, want %q", code, got, want)
		}
	}
}

// A sleep takes the bubble's time, ends at an interrupt, which a program may catch, and at the process's end.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
		begun := time.Now()
		if got := stdout(t, in, "import time\ntime.sleep(600)\nprint('done')"); got != "done\n" || time.Since(begun) != 10*time.Minute {
			t.Errorf("%q after %v", got, time.Since(begun))
		}
		time.AfterFunc(time.Second, in.Interrupt)
		if got := stdout(t, in, "time.sleep(600)"); got != "KeyboardInterrupt: " {
			t.Errorf("an interrupted sleep: %q", got)
		}
		time.AfterFunc(time.Second, in.Interrupt)
		if got := stdout(t, in, "try:\n    time.sleep(600)\nexcept KeyboardInterrupt:\n    print('caught')\ntime.sleep(1); print('on')"); got != "caught\non\n" {
			t.Errorf("a caught interrupt: %q", got)
		}
		in.Interrupt() // nothing runs
		if got := stdout(t, in, "print('quiet')"); got != "quiet\n" {
			t.Errorf("an interrupt of nothing: %q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if out := in.Run(ctx, python.Request{Code: "try:\n    time.sleep(600)\nexcept BaseException: pass"}, newTranscript()); !out.Killed {
			t.Errorf("a killed sleep: %+v", out)
		}
	})
}

// A program that computes can be interrupted too.
func TestInterruptComputing(t *testing.T) {
	in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
	timer := time.AfterFunc(20*time.Millisecond, in.Interrupt)
	defer timer.Stop()
	if got := stdout(t, in, "while True: pass"); got != "KeyboardInterrupt: " {
		t.Errorf("printed %q", got)
	}
}

// Input comes from the user, is refused, or ends with an interrupt.
func TestInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
		for want, input := range map[string]func(context.Context, string, bool) (string, error){
			"Name? Ada\n": func(_ context.Context, prompt string, _ bool) (string, error) { return prompt + "Ada", nil },
			"StdinNotImplementedError: raw_input was called, but this frontend does not support input requests.": func(context.Context, string, bool) (string, error) {
				return "", python.ErrNoStdin
			},
			"KeyboardInterrupt: Interrupted by user": func(ctx context.Context, _ string, _ bool) (string, error) {
				time.AfterFunc(time.Second, in.Interrupt)
				<-ctx.Done()
				return "", ctx.Err()
			},
		} {
			r := newTranscript()
			r.input = input
			out := in.Run(t.Context(), python.Request{Code: "print(input('Name? '))"}, r)
			got := r.buffered["stdout"]
			if out.Error != nil {
				got = out.Error.Name + ": " + out.Error.Value
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// The process ends where the program wants it to.
func TestEnd(t *testing.T) {
	for code, want := range map[string]python.Outcome{
		"import os\ntry:\n    os._exit(3)\nfinally:\n    print('never')": {Killed: true},
		"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)":        {Killed: true},
		"exit()": {Exits: true},
	} {
		in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
		r, out := run(in, code)
		if out.Killed != want.Killed || out.Exits != want.Exits || len(r.messages) > 0 {
			t.Errorf("%q: %+v with %s", code, out, show(r.messages))
		}
	}
}

// A reply has the payload, the counts and the values of the expressions that were asked for.
func TestOutcome(t *testing.T) {
	in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
	r := newTranscript()
	out := in.Run(t.Context(), python.Request{
		Code: "x = 20\nx", Silent: true, Expressions: map[string]string{"twice": "2*x", "bad": "1/0"},
	}, r)
	if len(r.messages) > 0 || out.Count != 0 || string(out.Expressions["twice"]) != `{"status": "ok", "data": {"text/plain": "40"}, "metadata": {}}` {
		t.Errorf("%+v, %s", out, out.Expressions["twice"])
	}
	if bad := decode(out.Expressions["bad"]); bad["ename"] != "ZeroDivisionError" || bad["status"] != "error" {
		t.Errorf("bad: %v", bad)
	}
	_, out = run(in, "def f():\n    'What f is for.'\nget_ipython().set_next_input('y', replace=True)\nf?")
	if out.Count != 1 || in.Count() != 2 || len(out.Payload) != 2 {
		t.Fatalf("%+v", out)
	}
	if string(out.Payload[0]) != `{"source": "set_next_input", "text": "y", "replace": true}` || !strings.Contains(string(out.Payload[1]), "What f is for.") {
		t.Errorf("payload %s", out.Payload)
	}
}

// Figures are shown by show and at the end of a cell, as images that depend on what was drawn.
func TestFigures(t *testing.T) {
	in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
	images := map[any]bool{}
	for _, code := range []string{
		"import matplotlib.pyplot as plt\n%matplotlib inline\nplt.plot([1, 3, 2]);", "plt.plot([1, 2])\nplt.show()", "plt.plot([1, 2]); plt.title('T')\nplt.show()",
	} {
		r, _ := run(in, code)
		if len(r.messages) != 1 || r.messages[0].kind != "display_data" {
			t.Fatalf("%q sent %s", code, show(r.messages))
		}
		data := r.messages[0].content["data"].(map[string]any)
		if data["text/plain"] != "<Figure size 640x480 with 1 Axes>" {
			t.Errorf("%v", data["text/plain"])
		}
		images[data["image/png"]] = true
	}
	if len(images) != 3 {
		t.Errorf("%d different images", len(images))
	}
}

// A hundred megabytes are written in no time.
func TestFlood(t *testing.T) {
	in := python.New(python.Config{Dir: t.TempDir(), PID: 4242})
	r := newTranscript()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in.Run(t.Context(), python.Request{Code: "import sys\nfor i in range(100):\n    sys.stdout.write('x' * 1_000_000)\n    sys.stdout.flush()"}, discard{r})
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 {
		t.Errorf("100 MB of output made %d MB of garbage", made>>20)
	}
}

type discard struct{ *transcript }

func (discard) Stream(string, string) {}
