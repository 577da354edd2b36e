package console_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// An output that is not a terminal gets plain text, whatever the environment is.
func TestPlain(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("CLICOLOR_FORCE", "1")
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var buffer bytes.Buffer
	everything(console.New(&buffer))
	everything(console.New(file))
	const want = "✓ 1 good strong\n✗ bad\n· note faint\n50% of a line\n  → a text that has more words than there is room for in a line of a terminal, so that it takes two\nInstall ...\nInstall: 0 s\n"
	if got := buffer.String(); got != want {
		t.Errorf("a buffer got %q", got)
	}
	got, err := os.ReadFile(file.Name())
	must.NoError(t, err)
	test.Eq(t, want, string(got))
}

func everything(c *console.Console) {
	c.Good("%d good %s", 1, c.Strong("strong"))
	c.Bad("bad")
	c.Note("note %s", c.Faint("faint"))
	c.Line("%d%% of a line", 50)
	c.Line("  → %s", console.Folded(c, 4, "a text that has more words than there is room for in a line of a terminal, so that it takes two"))
	b := c.Bar(2, "Install")
	b.Set(0, "")
	b.Set(1, "first-of-two-packages-with-a-long-name")
	b.Set(99, "second")
	b.Done()
}
