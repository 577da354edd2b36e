package traceback

import (
	"regexp"
	"strings"
)

// A frame is one call on the way to the error.
type frame struct {
	cell     bool   // the code is the notebook's own
	where    string // "Cell In[3]", or a file's path
	line     string // the line number, "" if unknown
	function string // "" for code outside functions
	code     string // the code line, "" if unknown
	caret    int    // the column of a syntax error in the code; -1 if unknown

	// A placeholder for skipped frames has only their number, -1 if unknown.
	skipped int
}

// A header is the line above the code of a frame. Its form depends on IPython's version and mode, and on the origin of the
// code.
var (
	// "Cell In[3], line 4, in f(x)", "Input In [3], in <cell line: 1>()", and after two spaces in mode Plain.
	cellHeader = regexp.MustCompile(`^(?: {2})?(?:Cell|Input) In ?\[(\d+)\](?:, line (\d+))?(?:,? in (.+))?$`)
	// `  File "/home/x/y.py", line 12, in foo`, Python's own form.
	quotedHeader = regexp.MustCompile(`^(?: {2})?File "([^"]+)", line (\d+)(?:, in (.+))?$`)
	// "File ~/x/y.py:12, in foo(a)", and with "12 in foo" in mode Plain.
	fileHeader = regexp.MustCompile(`^(?: {2})?File (.+?):(\d+)(?:,? in (.+))?$`)
	// "~/x/y.py in foo(a)", "<ipython-input-3-9e1622b385b6> in <module>": IPython 7, without the line's number.
	oldHeader = regexp.MustCompile(`^(<[^<>]+>|\S.*\.(?:py|pyx|pxi|pxd|so|pyd|ipynb)) in (<[^<>]+>(?:\(.*\)?)?|[^\s()]+\(.*)$`)
	// "/home/x/sales.ipynb Cell 5 line 3" and "~/sales.ipynb Cell 5' in <module>": VS Code.
	codeHeader = regexp.MustCompile(`^(?:File )?\S.*\.ipynb Cell (\d+)'?(?:,? line (\d+))?(?:,? in (.+))?$`)

	// IPython's names of a cell's source in headers without "Cell In".
	inputName  = regexp.MustCompile(`^<ipython-input-(\d+)-[0-9a-f]+>$`)
	kernelName = regexp.MustCompile(`(?:^|[/\\])ipykernel_\d+[/\\]\d+\.py$`)
	// The code below %%time and %%timeit.
	magicName = regexp.MustCompile(`^<(?:timed exec|timed eval|magic-timeit)>$`)

	skippedTimes   = regexp.MustCompile(`\((\d+) times\)`)
	repeatedFrames = regexp.MustCompile(`^\.\.\. last \d+ frames repeated, from the frame below \.\.\.$`)
	omittedFrames  = regexp.MustCompile(`^\s*\[\.\.\. (\d+) skipped frames\]$`)
	pythonRepeats  = regexp.MustCompile(`^\s*\[Previous line repeated (\d+) more times?\]$`)
)

// headerOf returns the frame of a header line.
func headerOf(line string) (frame, bool) {
	if len(line) > longestHeader { // it is code, or a value
		line = line[:longestHeader]
	}
	if !strings.Contains(line, "In ") && !strings.Contains(line, " in ") && !strings.Contains(line, "In[") &&
		!strings.Contains(line, "File ") && !strings.Contains(line, " Cell ") {
		return frame{}, false // almost all lines, rejected without the patterns
	}
	if m := cellHeader.FindStringSubmatch(line); m != nil {
		return frame{cell: true, where: "Cell In[" + m[1] + "]", line: m[2], function: functionOf(m[3]), caret: -1}, true
	}
	if m := codeHeader.FindStringSubmatch(line); m != nil {
		return frame{cell: true, where: "Cell " + m[1], line: m[2], function: functionOf(m[3]), caret: -1}, true
	}
	for _, form := range []*regexp.Regexp{quotedHeader, fileHeader} {
		if m := form.FindStringSubmatch(line); m != nil {
			return placed(m[1], m[2], m[3]), true
		}
	}
	if m := oldHeader.FindStringSubmatch(line); m != nil {
		return placed(m[1], "", m[2]), true
	}
	return frame{}, false
}

// longestHeader bounds the part of a line that is checked. The values of parameters make headers long.
const longestHeader = 2000

// placed returns a frame in a file, which may be the source of a cell.
func placed(file, line, function string) frame {
	f := frame{where: file, line: line, function: functionOf(function), caret: -1}
	switch m := inputName.FindStringSubmatch(file); {
	case m != nil:
		f.cell, f.where = true, "Cell In["+m[1]+"]"
	case kernelName.MatchString(file): // the name shows only that the source is a cell, not which one
		f.cell, f.where = true, "Cell"
	case magicName.MatchString(file):
		f.cell = true
	default:
		f.where = lastParts(file)
	}
	return f
}

// functionOf returns a function's name without its arguments, and "" for the code of a cell or module outside functions.
func functionOf(s string) string {
	s, _, _ = strings.Cut(s, "(")
	s = strings.TrimSpace(s)
	if s == "<module>" || strings.HasPrefix(s, "<cell line:") {
		return ""
	}
	return s
}

// keptParts is how many parts of a path identify the file: libraries nest their folders no deeper.
const keptParts = 4

// lastParts shortens a path at the front.
func lastParts(path string) string {
	at := len(path)
	for range keptParts {
		if at = strings.LastIndexAny(path[:at], `/\`); at < 0 {
			return path
		}
	}
	if at == 0 {
		return path // only the root is before
	}
	return "…" + path[at:]
}
