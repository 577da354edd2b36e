// Package userexpr runs our programs in idle kernels, each as one expression whose value is its answer, so that it leaves
// no trace: no name, no history, no output in a notebook.
package userexpr

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/textfmt"
)

// A Kernel is a kernel to query.
type Kernel interface {
	// Evaluate runs code silently, then evaluates the expressions, and returns the kernel's answer for each.
	Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error)
	// Status returns "idle", "busy" and so on.
	Status(ctx context.Context) string
	// Language returns the kernel's own name of its language, such as "python".
	Language(ctx context.Context) (string, error)
}

// ErrBusy reports that the kernel cannot be queried, because it runs other code.
var ErrBusy = textfmt.Fixed("the kernel is busy")

// A kernel that runs only another small request is idle again within this time.
const (
	busyTime = 250 * time.Millisecond
	busyPoll = 25 * time.Millisecond
)

// Idle returns ErrBusy unless the kernel is idle at once, or ctx's error.
func Idle(ctx context.Context, k Kernel) error {
	deadline := time.Now().Add(busyTime)
	for k.Status(ctx) == "busy" {
		if time.Now().After(deadline) {
			return ErrBusy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(busyPoll):
		}
	}
	return nil
}

// Source returns the text of some files, one after another, without comment lines of Python, R or Julia.
func Source(files embed.FS, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			panic("read a program: " + err.Error()) // it is embedded
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") { // comments need not be sent
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

// Python returns one Python expression that runs a program with texts under their names, and whose value is the program's
// variable answer at its end. The only name that it uses from the user's namespace is __import__.
func Python(source string, texts map[string]string) string {
	var b strings.Builder
	b.WriteString("(lambda own: (__import__('builtins').exec(own['source'], own), own.pop('answer'), own.clear())[1])({'source': " + literal(source))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(", '" + name + "': " + literal(texts[name]))
	}
	b.WriteString("})")
	return b.String()
}

// literal returns a Python string literal. Go's ASCII escapes are Python's too; invalid UTF-8, whose escape would be
// another character there, is replaced before.
func literal(s string) string {
	return strconv.QuoteToASCII(strings.ToValidUTF8(s, "\uFFFD"))
}

// Shown returns the MIME representation of an expression's value from the kernel's reply, "" if missing. The error says
// that the kernel could not evaluate it.
func Shown(reply any, mime string) (string, error) {
	m, _ := reply.(map[string]any)
	if m["status"] != "ok" {
		return "", fmt.Errorf("%v: %v", m["ename"], m["evalue"])
	}
	data, _ := m["data"].(map[string]any)
	text, _ := data[mime].(string)
	return text, nil
}
