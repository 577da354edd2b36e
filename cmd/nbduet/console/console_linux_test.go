package console_test

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// terminal returns both ends of a terminal: the screen, and the end that programs write to.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

// onTerminal returns the output of everything on a terminal.
func onTerminal(t *testing.T) string {
	t.Helper()
	screen, tty := terminal(t)
	everything(console.New(tty))
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	_, _ = all.ReadFrom(screen) // it returns an error when the other end is closed
	return strings.ReplaceAll(all.String(), "\r\n", "\n")
}

func TestColours(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	got := onTerminal(t)
	for _, want := range []string{
		"\x1b[32m✓\x1b[0m 1 good \x1b[1mstrong\x1b[", "\x1b[31m✗\x1b[0m bad\n", "\x1b[33m·\x1b[0m note \x1b[2mfaint\x1b[",
		"  → a text that has more words than there is room for in a line of a terminal,\n    so that it takes two\n", " 50% ", "(1/2) Install: first-of-two-packages-w…", "(2/2) Install: second",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if !strings.HasSuffix(got, "\x1b[2K\r") {
		t.Errorf("the bar is still there: %q", got)
	}
}

func TestNoColour(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "1")
	got := onTerminal(t)
	test.StrNotContains(t, got, "m✓", test.Sprint("there are colours"))
	test.StrNotContains(t, got, "[32m", test.Sprint("there are colours"))
	test.StrNotContains(t, got, "\x1b[1m", test.Sprint("there are colours"))
	if !strings.Contains(got, "(1/2) Install: first") {
		t.Errorf("there is no bar: %q", got)
	}
}

// A terminal that cannot move its cursor has no bars.
func TestDumb(t *testing.T) {
	t.Setenv("TERM", "dumb")
	got := onTerminal(t)
	test.False(t, strings.ContainsAny(got, "\x1b\r"))
	test.StrHasSuffix(t, "Install ...\nInstall: 0 s\n", got)
}
