package output

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// paged reads a whole spool in pages of n characters.
func paged(t *testing.T, s *spool, n int, tail string) string {
	t.Helper()
	var all strings.Builder
	for offset := 0; ; {
		text, total, err := s.page(offset, n, tail)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
		got := len([]rune(text))
		if offset += got; offset >= total {
			if offset > total {
				t.Fatalf("%d characters read of %d", offset, total)
			}
			return all.String()
		}
		if got != n {
			t.Fatalf("%d of %d characters at %d of %d", got, n, offset, total)
		}
	}
}

// tempDir puts this test's temporary files into its own folder.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

// Text written in pieces of any size is read in pages of any size, from memory and file, with lines folded.
func TestSpoolReadsWhatWasWritten(t *testing.T) {
	tempDir(t)
	rng := rand.New(rand.NewPCG(1, 2))
	all := &Spools{}
	defer all.Close()
	s := &spool{all: all}
	var want strings.Builder
	words := []string{"plain", "é", "日本", "😀", "\n", " ", "10%\r20%\r", strings.Repeat("long ", 5000), "a\bb"}
	for want.Len() < 3*maxSpoolBuffer {
		w := words[rng.IntN(len(words))]
		want.WriteString(w)
		s.write(w)
	}
	if s.file == nil {
		t.Fatal("nothing is in the file")
	}
	folded := fold(want.String())
	for _, n := range []int{100_000, 70_001, 1013} {
		if got := paged(t, s, n, ""); got != folded {
			t.Errorf("in pages of %d: %d bytes, want %d", n, len(got), len(folded))
		}
	}
	runes := []rune(folded)
	for range 200 {
		at, n := rng.IntN(len(runes)), rng.IntN(3000)
		got, total, err := s.page(at, n, "")
		want := string(runes[at:min(at+n, len(runes))])
		must.NoError(t, err, must.Sprint(n, at))
		must.Eq(t, want, got, must.Sprint(n, at))
		must.Eq(t, len(runes), total, must.Sprint(n, at))
	}
	got, _, err := s.page(len(runes)+5, 10, "")
	test.Eq(t, "", got, test.Sprint("after the end"))
	test.NoError(t, err, test.Sprint("after the end"))
}

// A file is invisible to other users, and is removed with its spool.
func TestSpoolFilesGo(t *testing.T) {
	dir := tempDir(t)
	all := &Spools{}
	var made []*spool
	for range maxOpenSpools + 2 {
		s := &spool{all: all}
		s.write(strings.Repeat("0123456789\n", maxSpoolBuffer/5))
		made = append(made, s)
		info, err := s.file.Stat()
		must.NoError(t, err)
		must.Eq(t, 0o600, info.Mode().Perm())
	}
	for i, s := range made {
		if _, _, err := s.page(0, 10, ""); errors.Is(err, errSpoolGone) != (i < 2) {
			t.Errorf("the %dth of %d: %v", i, len(made), err)
		}
	}
	all.Close()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	must.NoError(t, err)
	must.LessEq(t, 0, len(left))
	test.Eq(t, 0, all.bytes)
	made[5].drop() // a second time
	made[5].write("late")
	if _, _, err := made[5].page(0, 1, ""); !errors.Is(err, errSpoolGone) {
		t.Errorf("after the end: %v", err)
	}
}

// A missing part is marked in its place, and the end of the text is kept.
func TestSpoolSaysWhatIsMissing(t *testing.T) {
	dir := tempDir(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	t.Setenv("TMP", filepath.Join(dir, "none"))
	s := &spool{all: &Spools{}}
	line := strings.Repeat("x", 99) + "\n"
	for range 2 * maxSpoolBuffer / len(line) {
		s.write(line)
	}
	s.write("the end é")
	tail := strings.Repeat(line, 3) + "the end é"
	got := paged(t, s, 50_000, tail)
	test.True(t, s.full, test.Sprint(len(got)))
	test.StrHasPrefix(t, line, got, test.Sprint(len(got)))
	test.StrContains(t, got, " bytes are not kept here]\n"+line, test.Sprint(len(got)))
	test.StrHasSuffix(t, "the end é", got, test.Sprint(len(got)))
}
