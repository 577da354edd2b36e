package tools_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

var (
	namesRun = regexp.MustCompile(`run-\d+`)
	goesOn   = regexp.MustCompile(`continue with offset (\d+)`)
)

// pages returns an output of a run from watch_runs, page by page to the end.
func (m *talk) pages(run string, output int) string {
	m.T.Helper()
	var text strings.Builder
	args := toolstest.Dict{"run_id": run, "output": output, "maxCellOutputSize": 100_000}
	for range 1000 {
		first, page, _ := strings.Cut(m.says("watch_runs", args), "\n")
		text.WriteString(page)
		more := goesOn.FindStringSubmatch(first)
		if more == nil {
			return text.String()
		}
		offset, err := strconv.Atoi(more[1])
		if err != nil {
			m.T.Fatal(err)
		}
		args = toolstest.With(args, "offset", offset)
	}
	m.T.Fatal("the pages do not end")
	return ""
}

// cutTo checks that an answer is short, says that something was left out, and how to see the rest; it returns the named run.
func (m *talk) cutTo(answer, how string) (run string) {
	m.T.Helper()
	if len(answer) > 5000 {
		m.T.Errorf("the answer takes %d bytes: %.300s", len(answer), answer)
	}
	for _, want := range []string{"characters left out] …", how} {
		if !strings.Contains(answer, want) {
			m.T.Errorf("%q is not said: %s", want, answer)
		}
	}
	return namesRun.FindString(answer)
}

// numbered returns numbered lines, and a function that checks that a text has them all.
func numbered(word string, n int) (lines []string, in func(text string) error) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s %07d", word, i))
	}
	return lines, func(text string) error {
		for _, line := range lines {
			_, rest, found := strings.Cut(text, line)
			if !found {
				return fmt.Errorf("%q is missing, or not in its place", line)
			}
			text = rest
		}
		return nil
	}
}

// A run that prints five megabytes is answered in a few lines that say how to see the rest, and the rest is complete.
func TestWordsOfMuchText(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "import time\nfor part in range(5):\n    print('\\n'.join(['line ' + ('0'*7 + str(i))[-7:] + 'x'*90 for i in range(part*10000, part*10000+10000)]), flush=True)\n    time.sleep(4)"))
		run := m.cutTo(m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)}), "watch_runs with run_id and output 0")
		_, in := numbered("line", 50_000)
		if err := in(m.pages(run, 0)); err != nil {
			t.Error(err)
		}
		m.cutTo(m.says("read_nb_cells", toolstest.Dict{"path": path}), "a higher max_chars")
		more := m.says("read_nb_cells", toolstest.Dict{"path": path, "maxCellData": 100_000})
		must.GreaterEq(t, 90_000, len(more))
		test.LessEq(t, 110_000, len(more))
	})
}

// Text beyond the limit of a notebook for one run is left out of the notebook, and the run has it.
func TestWordsOfTextLeftOut(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "import time\nfor part in range(10):\n    print('\\n'.join(['line ' + ('0'*7 + str(i))[-7:] + 'x'*90 for i in range(part*10000, part*10000+10000)]), flush=True)\n    time.sleep(4)"))
		answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})
		run := m.cutTo(answer, "watch_runs with output -1 pages through its text")
		_, in := numbered("line", 100_000)
		if err := in(m.pages(run, 0) + m.pages(run, -1)); err != nil {
			t.Error(err)
		}
	})
}

// Several hundred kilobytes of HTML without another form are answered as the beginning of their text, and the run has them
// unchanged.
func TestWordsOfMuchHTML(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "display({'text/html': '<p>' + '</p><p>'.join(['row ' + ('0'*7 + str(i))[-7:] + 'x'*40 for i in range(10000)]) + '</p>'}, raw=True)"))
		answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})
		run := m.cutTo(answer, "more characters of HTML")
		_, in := numbered("row", 10_000)
		if err := in(m.pages(run, 0)); err != nil {
			t.Error(err)
		}
	})
}

// An error whose text has a hundred thousand lines is answered with its message and location, and the run has all of it.
func TestWordsOfALongError(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(code("aaaa", "raise ValueError('\\n'.join(['why ' + ('0'*7 + str(i))[-7:] for i in range(100000)]))"))
		answer := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)})
		run := m.cutTo(answer, "ValueError: why 0000000")
		if !strings.Contains(answer, "line 1: raise ValueError") {
			t.Errorf("it is not said where: %s", answer)
		}
		_, in := numbered("why", 100_000)
		if err := in(m.pages(run, 0)); err != nil {
			t.Error(err)
		}
	})
}

// A traceback of a hundred thousand lines is read as the error and its location.
func TestWordsOfALongTraceback(t *testing.T) {
	jupytertest.Bubble(t, func(t *testing.T) {
		m := newTalk(t)
		lines, _ := numbered(`  File "/usr/lib/python3/site-packages/x.py", line`, 100_000)
		path := m.book(code("aaaa", "f()", toolstest.Dict{"output_type": "error", "ename": "RecursionError", "evalue": "too deep", "traceback": lines}), code("bbbb", "next = 1"))
		answer := m.says("read_nb_cells", toolstest.Dict{"path": path})
		must.LessEq(t, 5000, len(answer))
		test.StrContains(t, answer, "RecursionError: too deep")
		test.StrContains(t, answer, "next = 1")
	})
}

// Only the last state of a progress bar is shown, for a cell that ran here and for one whose file has every state.
func TestWordsOfProgressBars(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		states := ""
		for i := range 101 {
			states += fmt.Sprintf("\r%3d%% |%-50s| a bar", i, strings.Repeat("#", i/2))
		}
		path := m.book(
			code("aaaa", "for i in range(101): print('\\r%s%% |%s%s| a bar' % (('  ' + str(i))[-3:], '#'*(i//2), ' '*(50-i//2)), end='')"),
			code("bbbb", "2", printed(states+"\n")),
		)
		want := "100% |##################################################| a bar"
		if got := m.says("execute_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(0)}); got != "@@0 aaaa [1]\n@@ out\n"+want {
			t.Errorf("ran: %s", got)
		}
		cells, _ := m.cells(toolstest.Dict{"path": path})
		for _, c := range cells {
			must.SliceLen(t, 1, c.Rest)
			test.Eq(t, want, c.Rest[0].Body)
		}
	})
}
