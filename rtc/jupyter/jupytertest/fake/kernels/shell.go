package kernels

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

// language runs the code of one process.
type language interface {
	Run(ctx context.Context, r cells.Request, io cells.IO) cells.Outcome
	Count() int
	Interrupt()
}

// shell is a subset of Bash, enough for tests of a kernel in another language: variables, echo, arithmetic with two
// numbers, and failure of all other commands.
type shell struct {
	count     int
	variables map[string]string
}

func newShell() *shell {
	return &shell{count: 1, variables: map[string]string{"0": "bash", "BASH_VERSION": "5.2.15(1)-release"}}
}

// Count implements [language].
func (s *shell) Count() int { return s.count }

// Interrupt implements [language]: no command takes time.
func (s *shell) Interrupt() {}

// Run implements [language].
func (s *shell) Run(_ context.Context, r cells.Request, io cells.IO) cells.Outcome {
	out := cells.Outcome{Count: s.count, Expressions: map[string]json.RawMessage{}}
	if r.StoreHistory {
		s.count++
	}
	status := 0
	for _, line := range strings.FieldsFunc(r.Code, func(c rune) bool { return c == '\n' || c == ';' }) {
		status = s.command(strings.TrimSpace(line), io)
	}
	if status != 0 {
		out.Error = &cells.Error{Value: strconv.Itoa(status), Traceback: []string{}}
		io.Error(*out.Error)
	}
	return out
}

var (
	assignment = regexp.MustCompile(`^([A-Za-z_]\w*)=(.*)$`)
	firstChars = regexp.MustCompile(`\| *cut -c(\d+)$`)
	arithmetic = regexp.MustCompile(`\$\(\((\w+) *([-+*]) *(\w+)\)\)`)
)

func (s *shell) command(line string, io cells.IO) (status int) {
	if m := assignment.FindStringSubmatch(line); m != nil {
		s.variables[m[1]] = s.expand(m[2])
		return 0
	}
	cut := 0
	if m := firstChars.FindStringSubmatchIndex(line); m != nil {
		cut, _ = strconv.Atoi(line[m[2]:m[3]])
		line = strings.TrimSpace(line[:m[0]])
	}
	name, rest, _ := strings.Cut(line, " ")
	if name != "echo" {
		if name == "" {
			return 0
		}
		io.Stream("stderr", "bash: "+name+": command not found\n")
		return 127
	}
	text := s.expand(strings.Trim(rest, `"'`))
	if cut > 0 {
		text = text[:min(cut, len(text))]
	}
	io.Stream("stdout", text+"\n")
	return 0
}

func (s *shell) expand(text string) string {
	text = arithmetic.ReplaceAllStringFunc(text, func(all string) string {
		m := arithmetic.FindStringSubmatch(all)
		a, b := s.number(m[1]), s.number(m[3])
		switch m[2] {
		case "+":
			a += b
		case "-":
			a -= b
		case "*":
			a *= b
		}
		return strconv.Itoa(a)
	})
	return os.Expand(text, func(name string) string { return s.variables[name] })
}

func (s *shell) number(word string) int {
	if value, ok := s.variables[word]; ok {
		word = value
	}
	n, _ := strconv.Atoi(word) // a word that is not a number is 0, as in Bash
	return n
}
