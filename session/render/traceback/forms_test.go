package traceback_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/render/traceback"
)

const rule = "---------------------------------------------------------------------------"

// A written is an error output that was written down from known examples, not recorded.
type written struct {
	name, value string
	lines       []string
	want        string
	short       bool
}

func (w written) check(t *testing.T) {
	t.Helper()
	text, short := traceback.Short(w.name, w.value, w.lines)
	if text != w.want {
		t.Errorf("got:\n%s\nwant:\n%s", text, w.want)
	}
	if short != w.short {
		t.Errorf("short is %v for:\n%s", short, text)
	}
}

// A division in a cell takes two lines, and nothing is left out.
func TestDivision(t *testing.T) {
	written{
		name: "ZeroDivisionError", value: "division by zero",
		lines: []string{
			"\x1b[31m" + rule + "\x1b[39m", "\x1b[31mZeroDivisionError\x1b[39m                         Traceback (most recent call last)",
			"\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[3]\x1b[39m\x1b[32m, line 1\x1b[39m\n\x1b[32m----> \x1b[39m\x1b[32m1\x1b[39m \x1b[32;43m1/0\x1b[39m\n",
			"\x1b[31mZeroDivisionError\x1b[39m: division by zero",
		},
		want: "ZeroDivisionError: division by zero\nCell In[3], line 1: 1/0",
	}.check(t)
}

// An error deep in a library shows where it began in the notebook and where it was raised in the library, and a cause that
// is the same error is not repeated.
func TestLibrary(t *testing.T) {
	written{
		name: "KeyError", value: "'x'",
		lines: []string{
			rule, "KeyError      Traceback (most recent call last)",
			"File ~/venv/lib/python3.12/site-packages/pandas/core/indexes/base.py:3812, in Index.get_loc(self, key)\n   3811 try:\n-> 3812     return self._engine.get_loc(casted_key)\n",
			"KeyError: 'x'",
			"\nThe above exception was the direct cause of the following exception:\n",
			"KeyError      Traceback (most recent call last)",
			"Cell In[4], line 2\n      1 z = 1\n----> 2 df[\"x\"]\n",
			"File ~/venv/lib/python3.12/site-packages/pandas/core/frame.py:4107, in DataFrame.__getitem__(self, key)\n-> 4107 indexer = self.columns.get_loc(key)\n",
			"File ~/venv/lib/python3.12/site-packages/pandas/core/indexes/base.py:3819, in Index.get_loc(self, key)\n-> 3819     raise KeyError(key) from err\n   3820 except TypeError:\n",
			"KeyError: 'x'",
		},
		want:  "KeyError: 'x'\nCell In[4], line 2: df[\"x\"]\n…/pandas/core/indexes/base.py:3819, in Index.get_loc: raise KeyError(key) from err",
		short: true,
	}.check(t)
}

// The first versions of IPython 7 write parentheses after <module>, and Windows paths have backslashes.
func TestOldWindows(t *testing.T) {
	written{
		name: "FileNotFoundError", value: "File b'a.csv' does not exist",
		lines: []string{
			rule, "FileNotFoundError                         Traceback (most recent call last)",
			"<ipython-input-3-5b47b262897d> in <module>()\n----> 1 train=pd.read_csv(\"a.csv\")\n",
			"C:\\Users\\ana\\Anaconda3\\lib\\site-packages\\pandas\\io\\parsers.py in parser_f(filepath_or_buffer, sep)\n    676 \n--> 678         return _read(filepath_or_buffer, kwds)\n    679 \n",
			"pandas\\_libs\\parsers.pyx in pandas._libs.parsers.TextReader.__cinit__()\n",
			"FileNotFoundError: File b'a.csv' does not exist",
		},
		want: "FileNotFoundError: File b'a.csv' does not exist\nCell In[3], line 1: train=pd.read_csv(\"a.csv\")\n" +
			"pandas\\_libs\\parsers.pyx, in pandas._libs.parsers.TextReader.__cinit__",
		short: true,
	}.check(t)
	written{
		name: "NameError", value: "name 'y' is not defined",
		lines: []string{
			"~\\AppData\\Local\\Temp\\ipykernel_7412\\2354412189.py in <module>\n      3 x = 1\n----> 4 y\n", "NameError: name 'y' is not defined",
		},
		want: "NameError: name 'y' is not defined\nCell, line 4: y", short: true,
	}.check(t)
}

// IPython 8 before 8.5 calls a cell "Input".
func TestInput(t *testing.T) {
	written{
		name: "TypeError", value: "no",
		lines: []string{
			rule, "TypeError                                 Traceback (most recent call last)",
			"Input In [3], in <cell line: 1>()\n----> 1 f(2)\n", "Input In [2], in f(x)\n      1 def f(x):\n----> 2     raise TypeError('no')\n", "TypeError: no",
		},
		want: "TypeError: no\nCell In[3], line 1: f(2)\nCell In[2], line 2, in f: raise TypeError('no')", short: true,
	}.check(t)
}

// VS Code adds the name of the notebook and links to IPython's text.
func TestCode(t *testing.T) {
	written{
		name: "ZeroDivisionError", value: "division by zero",
		lines: []string{
			rule, "ZeroDivisionError                         Traceback (most recent call last)",
			"\x1b[1;32m/home/ana/my sales.ipynb Cell 5\x1b[0m line 1\n----> <a href='vscode-notebook-cell:/home/ana/my%20sales.ipynb#X5sZmlsZQ%3D%3D?line=0'>1</a> 1/0\n",
			"ZeroDivisionError: division by zero",
		},
		want: "ZeroDivisionError: division by zero\nCell 5, line 1: 1/0",
	}.check(t)
}

// Code below %%time is the notebook's own, although its frames do not name the cell.
func TestTimed(t *testing.T) {
	written{
		name: "KeyError", value: "'x'",
		lines: []string{
			rule, "KeyError                                  Traceback (most recent call last)", "File <timed exec>:2\n",
			"File /srv/lib/a.py:5, in get(k)\n----> 5 raise KeyError(k)\n", "File /srv/lib/a.py:9, in put(k)\n----> 9 get(k)\n", "KeyError: 'x'",
		},
		want: "KeyError: 'x'\n<timed exec>:2\n/srv/lib/a.py:9, in put: get(k)", short: true,
	}.check(t)
}

// Python's own tracebacks, which other Python kernels send, have files and repeated lines.
func TestPython(t *testing.T) {
	written{
		name: "RecursionError", value: "maximum recursion depth exceeded",
		lines: strings.Split("Traceback (most recent call last):\n  File \"<ipython-input-4-0a1b2c3d4e5f>\", line 1, in <module>\n    f(0)\n    ~^^^\n"+
			"  File \"/a/b/c/d/e/f.py\", line 2, in f\n    return f(n + 1)\n           ^^^^^^^^\n  [Previous line repeated 996 more times]\nRecursionError: maximum recursion depth exceeded", "\n"),
		want: "RecursionError: maximum recursion depth exceeded\nCell In[4], line 1: f(0)\n" +
			"…/c/d/e/f.py:2, in f: return f(n + 1)\n… 996 more frames",
		short: true,
	}.check(t)
}

// R, Julia and shells have no frames of cells: their own lines stay, without those that repeat the error.
func TestOtherLanguages(t *testing.T) {
	written{
		name: "ERROR", value: "Error in f(1): boom\n",
		lines: []string{"Error in f(1): boom\nTraceback:\n", "1. f(1)", "2. stop(\"boom\")   # at line 1 of file <text>"},
		want:  "Error in f(1): boom\n1. f(1)\n2. stop(\"boom\")   # at line 1 of file <text>",
	}.check(t)
	written{
		name: "UndefVarError", value: "UndefVarError: `z` not defined in `Main`\nSuggestion: check for spelling errors or missing imports.",
		lines: []string{
			"UndefVarError: `z` not defined in `Main`\nSuggestion: check for spelling errors or missing imports.", "",
			"Stacktrace:", " [1] compute(z::Int64)", "   @ Main ./In[3]:2", " [2] top-level scope", "   @ In[4]:1",
		},
		want: "UndefVarError: `z` not defined in `Main`\nSuggestion: check for spelling errors or missing imports.\nStacktrace:\n" +
			" [1] compute(z::Int64)\n   @ Main ./In[3]:2\n [2] top-level scope\n   @ In[4]:1",
	}.check(t)
	written{name: "", value: "127", want: "127"}.check(t)
	written{name: "Interrupt", want: "Interrupt"}.check(t)
	written{}.check(t)
}

// A long traceback of unknown form keeps its beginning and its end.
func TestManyLines(t *testing.T) {
	lines := strings.Split(strings.Repeat("at some.Class\n", 99)+"at the.End", "\n")
	text, short := traceback.Short("E", "v", lines)
	if n := strings.Count(text, "\n") + 1; n != 42 {
		t.Errorf("%d lines, want the error's, 40, and one that counts the others", n)
	}
	if !strings.Contains(text, "\n… 60 more lines\n") {
		t.Errorf("not counted:\n%s", text)
	}
	if !strings.HasSuffix(text, "the.End") {
		t.Errorf("the end is missing:\n%s", text)
	}
	if !short {
		t.Error("not reported as short")
	}
}

// A line of code is cut if it is too long to read.
func TestLongLine(t *testing.T) {
	text, _ := traceback.Short("E", "v", []string{"Cell In[3], line 1\n----> 1 " + strings.Repeat("1 + ", 5000) + "0\n", "E: v"})
	must.LessEq(t, 300, len(text))
	test.StrHasSuffix(t, "…", text)
}
