package traceback

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/samber/lo"
)

var (
	// The code line of a frame: "----> 1 1/0", "> 10674 x", and without a number in mode Docs. VS Code makes the number a
	// link.
	arrow = regexp.MustCompile(`^-*>\s*(?:<a [^>]*>)?(\d+)(?:</a>)?(?: (.*))?$`)
	bare  = regexp.MustCompile(`^-+>\s+(.*)$`)
	// The markers under code in newer versions of Python, or under a syntax error.
	carets = regexp.MustCompile(`^\s*[~^]+\s*$`)
	// A code line near that one: "      3     return y".
	beside = regexp.MustCompile(`^\s+(?:\d+|\(\.\.\.\)\s+\d+)(?:\s|$)`)
)

// noSource is IPython's text for code whose source it cannot find.
const noSource = "'Could not get source, probably due dynamically evaluated source code.'"

// framesOf reads the frames of one exception, and reports whether there are more lines than those of frames and code.
func framesOf(lines []string) (frames []frame, more bool) {
	var last *frame
	for i, line := range lines {
		if f, ok := headerOf(line); ok {
			frames = append(frames, f)
			last = &frames[len(frames)-1]
			continue
		}
		if n, ok := skip(line); ok {
			frames = append(frames, frame{skipped: n})
			last, more = nil, true
			continue
		}
		if last == nil {
			continue
		}
		if !last.take(line, i > 0 && lines[i-1] == last.codeLine()) && strings.TrimSpace(line) != "" {
			more = true
		}
	}
	return frames, more
}

// codeLine returns a code line as shown below its header without an arrow.
func (f *frame) codeLine() string { return "    " + f.code }

// take reports whether a line below a frame's header is the frame's code line, or points into it.
func (f *frame) take(line string, below bool) bool {
	if m := arrow.FindStringSubmatch(line); m != nil {
		f.line = m[1]
		f.code = m[2]
		return true
	}
	if m := bare.FindStringSubmatch(line); m != nil && f.code == "" {
		f.code = m[1]
		return true
	}
	if carets.MatchString(line) {
		if below {
			if at := strings.IndexByte(line, '^'); at >= 0 {
				f.caret = at - len("    ")
			}
		}
		return true
	}
	if code, ok := strings.CutPrefix(line, "    "); ok && f.code == "" && !beside.MatchString(line) {
		f.code = code
		return true
	}
	return false
}

// skip returns how many frames a line replaces, -1 if unknown.
func skip(line string) (int, bool) {
	line = strings.TrimSpace(line)
	if len(line) > longestHeader || !strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "... ") {
		return 0, false
	}
	if strings.HasPrefix(line, "[... skipping similar frames: ") {
		if times := skippedTimes.FindAllStringSubmatch(line, -1); len(times) > 0 {
			sum := lo.SumBy(times, func(m []string) int { return number(m[1]) })
			return sum, true
		}
		return -1, true
	}
	if repeatedFrames.MatchString(line) {
		return -1, true
	}
	for _, form := range []*regexp.Regexp{omittedFrames, pythonRepeats} {
		if m := form.FindStringSubmatch(line); m != nil {
			return number(m[1]), true
		}
	}
	return 0, false
}

// number reads digits, limited to the largest number that can be shown.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1_000_000 {
		return 1_000_000
	}
	return n
}
