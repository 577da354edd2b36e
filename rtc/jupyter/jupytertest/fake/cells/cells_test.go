package cells_test

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// transcript is an IO that records its calls.
type transcript struct {
	text  strings.Builder // of both streams
	kinds []string        // of the other messages, with their data
	input func(ctx context.Context, prompt string, password bool) (string, error)
}

func (r *transcript) add(kind string, data []byte) { r.kinds = append(r.kinds, kind+" "+string(data)) }

func (r *transcript) Stream(_, text string)                           { r.text.WriteString(text) }
func (*transcript) Flush(string)                                      {}
func (r *transcript) Display(d cells.Display)                         { r.add("display", d.Data) }
func (r *transcript) ClearOutput(bool)                                { r.add("clear", nil) }
func (r *transcript) Result(data, _ json.RawMessage)                  { r.add("result", data) }
func (*transcript) Error(cells.Error)                                 {}
func (r *transcript) Comm(kind string, _ json.RawMessage, _ [][]byte) { r.add(kind, nil) }

func (r *transcript) Input(ctx context.Context, prompt string, password bool) (string, error) {
	return r.input(ctx, prompt, password)
}

// kernel is an interpreter for a test. Unsupported code fails the test, unless words is set, which then collects the
// words.
type kernel struct {
	*cells.Interp
	t     *testing.T
	words *[]string
}

func start(t *testing.T) *kernel {
	t.Helper()
	k := &kernel{t: t}
	k.Interp = cells.New(cells.Config{Dir: t.TempDir(), PID: 4242, NotUnderstood: func(cell, word string) {
		if k.words == nil {
			t.Errorf("%q is not understood in %q", word, cell)
			return
		}
		*k.words = append(*k.words, word)
	}})
	return k
}

func (k *kernel) run(code string) (*transcript, cells.Outcome) {
	r := &transcript{}
	return r, k.Run(context.Background(), cells.Request{Code: code, StoreHistory: true, Begins: func() {}}, r)
}

// says returns the text that a cell prints; an exception is its last line.
func (k *kernel) says(code string) string {
	r, out := k.run(code)
	text := r.text.String()
	if out.Error != nil {
		text += out.Error.Name + ": " + out.Error.Value
	}
	return text
}

// Rewritten code runs as in Python, each cell in a new kernel.
func TestRewritten(t *testing.T) {
	for code, want := range map[string]string{
		"import os, time as clock; clock.sleep(0)\nfrom sys import stdout as out, stderr\nout.write('%s' % os.path.exists('no'))": "False",
		"if 1_000 == 1000: raise ValueError('import x; raise') # raise":                                                           "ValueError: import x; raise",
		"%matplotlib inline\nprint('%who', end='')":                                                                               "%who",
		"!echo 'from shell'":                       "from shell\r\n",
		"x = 1\n_y = 2\n%who":                      "x\n",
		"def f(): raise KeyError('k')\nf()":        "KeyError: 'k'",
		"raise type('Odd', (Exception,), {})('é')": "Odd: é",
		"print('before'); nosuch":                  "before\nNameError: name 'nosuch' is not defined",
		"n += 1":                                   "NameError: name 'n' is not defined",
		"[1][5]":                                   "IndexError: list index out of range",
		"7 % 0":                                    "ZeroDivisionError: division by zero",
		"open('none').read()":                      "FileNotFoundError: [Errno 2] No such file or directory: 'none'",
		"open('f', 'w').write('é')\nprint(open('f').read(), str(1.0), {'a': ['b\"', \"c'\", b'\\x00']})": "é 1.0 {'a': ['b\"', \"c'\", b'\\x00']}\n",
		"def broken(:": "SyntaxError: invalid syntax (3485564072.py, line 1)",
	} {
		if got := start(t).says(code); got != want {
			t.Errorf("%s\nsays %q, want %q", code, got, want)
		}
	}
}

// Unsupported Python is reported, with the unsupported word.
func TestNotUnderstood(t *testing.T) {
	for code, want := range map[string]string{
		"import numpy":               "import numpy",
		"from os import fork":        "fork",
		"print([1].__contains__(1))": "__contains__",
		"sum([1])":                   "sum",
		"print('x', colour=1)":       "print(colour=)",
		"'%07d' % 1":                 "conversion %0",
		"%%capture\n1":               "%%capture",
		"%nosuch":                    "%nosuch",
		"class A: pass":              "class",
		"try:\n    1\nfinally: pass": "try",
		"f'{1}'":                     "string literal",
		"2 ** 3":                     "'**'",
		"'a' + 1":                    "string + int",
		"raise 'x'":                  "raise 'x'",
	} {
		k := start(t)
		k.words = &[]string{}
		_, out := k.run(code)
		must.SliceLen(t, 1, *k.words, must.Sprint(code))
		test.StrContains(t, (*k.words)[0], want, test.Sprint(code))
		must.NotNil(t, out.Error, must.Sprint(code))
		test.Eq(t, "NotUnderstood", out.Error.Name, test.Sprint(code))
	}
}

// A sleep uses the bubble's time, and ends at an interrupt and at the process's end.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := start(t)
		begun := time.Now()
		got := k.says("import time\ntime.sleep(600)\nprint('done')")
		test.Eq(t, "done\n", got)
		test.Eq(t, 10*time.Minute, time.Since(begun))
		time.AfterFunc(time.Second, k.Interrupt)
		if got := k.says("time.sleep(600)"); got != "KeyboardInterrupt: " {
			t.Errorf("an interrupted sleep: %q", got)
		}
		k.Interrupt() // no cell is running
		if got := k.says("print('quiet')"); got != "quiet\n" {
			t.Errorf("an interrupt of nothing: %q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if out := k.Run(ctx, cells.Request{Code: "time.sleep(600)", Begins: func() {}}, &transcript{}); !out.Killed {
			t.Errorf("a killed sleep: %+v", out)
		}
	})
}

// A computing program can be interrupted, too.
func TestInterruptComputing(t *testing.T) {
	k := start(t)
	timer := time.AfterFunc(20*time.Millisecond, k.Interrupt)
	defer timer.Stop()
	if got := k.says("while True: pass"); got != "KeyboardInterrupt: " {
		t.Errorf("printed %q", got)
	}
}

// Input comes from the user, is refused, or ends with an interrupt.
func TestInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := start(t)
		for want, input := range map[string]func(context.Context, string, bool) (string, error){
			"Name? Ada\n": func(_ context.Context, prompt string, _ bool) (string, error) { return prompt + "Ada", nil },
			"StdinNotImplementedError: raw_input was called, but this frontend does not support input requests.": func(context.Context, string, bool) (string, error) {
				return "", cells.ErrNoStdin
			},
			"KeyboardInterrupt: Interrupted by user": func(ctx context.Context, _ string, _ bool) (string, error) {
				time.AfterFunc(time.Second, k.Interrupt)
				<-ctx.Done()
				return "", ctx.Err()
			},
		} {
			r := &transcript{input: input}
			out := k.Run(t.Context(), cells.Request{Code: "print(input('Name? '))", Begins: func() {}}, r)
			got := r.text.String()
			if out.Error != nil {
				got += out.Error.Name + ": " + out.Error.Value
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// The process ends where the program ends it.
func TestEnd(t *testing.T) {
	for code, want := range map[string]cells.Outcome{
		"import os\nos._exit(3)\nprint('never')":                  {Killed: true},
		"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)": {Killed: true},
		"exit()": {Exits: true},
	} {
		r, out := start(t).run(code)
		test.Eq(t, want.Killed, out.Killed, test.Sprint(code))
		test.Eq(t, want.Exits, out.Exits, test.Sprint(code))
		must.LessEq(t, 0, len(r.kinds), must.Sprint(code))
		test.LessEq(t, 0, r.text.Len(), test.Sprint(code))
	}
}

// A reply has the payload, the counts and the values of the requested expressions.
func TestOutcome(t *testing.T) {
	k := start(t)
	r := &transcript{}
	out := k.Run(t.Context(), cells.Request{
		Code: "x = 20\nx", Silent: true, Expressions: map[string]string{"twice": "2*x", "bad": "1/0"}, Begins: func() {},
	}, r)
	must.LessEq(t, 0, len(r.kinds))
	test.Eq(t, 0, out.Count)
	test.Eq(t, `{"data":{"text/plain":"40"},"metadata":{},"status":"ok"}`, string(out.Expressions["twice"]))
	bad := string(out.Expressions["bad"])
	test.StrContains(t, bad, `"ename":"ZeroDivisionError"`, test.Sprint("bad"))
	test.StrContains(t, bad, `"status":"error"`, test.Sprint("bad"))
	_, out = k.run("def f():\n    'What f is for.'\nget_ipython().set_next_input('y', replace=True)\nf?")
	must.Eq(t, 1, out.Count)
	must.Eq(t, 2, k.Count())
	must.SliceLen(t, 2, out.Payload)
	test.Eq(t, `{"replace":true,"source":"set_next_input","text":"y"}`, string(out.Payload[0]))
	test.StrContains(t, string(out.Payload[1]), "What f is for.")
}

// A figure is displayed by show and at the end of a cell, in the requested formats.
func TestFigures(t *testing.T) {
	k := start(t)
	for _, code := range []string{"import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);", "plt.plot([1, 2]); plt.title('T')\nplt.show()"} {
		r, _ := k.run(code)
		must.SliceLen(t, 1, r.kinds, must.Sprint(code))
		test.StrContains(t, r.kinds[0], `"image/png":"iVBOR`, test.Sprint(code))
		test.StrContains(t, r.kinds[0], `Figure size 640x480 with 1 Axes`, test.Sprint(code))
	}
	r, _ := k.run("%config InlineBackend.figure_formats = ['svg', 'jpeg']\nplt.plot([1]);")
	all := strings.Join(r.kinds, "")
	test.StrContains(t, all, `"image/svg+xml":"`)
	test.StrContains(t, all, `"image/jpeg":"/9j/`)
	test.StrNotContains(t, all, "image/png")
}

// Displays of every class have their representations, and so have values.
func TestDisplays(t *testing.T) {
	k := start(t)
	r, _ := k.run("from IPython.display import HTML, JSON, clear_output\nh = display(HTML('<b>'), JSON({'n': 1.0}), 'x', display_id='d')\nclear_output()\nh.update({'a': 2}, raw=True)\n[h][0]")
	want := []string{
		`display {"text/html":"\u003cb\u003e","text/plain":"\u003cIPython.core.display.HTML object\u003e"}`,
		`display {"application/json":{"n":1.0},"text/plain":"\u003cIPython.core.display.JSON object\u003e"}`,
		`display {"text/plain":"'x'"}`, "clear ", `display {"a":2}`, `result {"text/plain":"\u003cDisplayHandle display_id=d\u003e"}`,
	}
	if !slices.Equal(r.kinds, want) {
		t.Errorf("sent %q", r.kinds)
	}
}

// A hundred megabytes are written quickly and with little garbage.
func TestFlood(t *testing.T) {
	k := start(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	k.Run(t.Context(), cells.Request{Code: "import sys\nfor i in range(100):\n    sys.stdout.write('x' * 1_000_000)\n    sys.stdout.flush()", Begins: func() {}}, &discard{})
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 {
		t.Errorf("100 MB of output made %d MB of garbage", made>>20)
	}
}

type discard struct{ transcript }

func (*discard) Stream(string, string) {}
