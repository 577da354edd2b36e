package kit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shoenig/test/must"
)

// Two runs of the tests in one checkout do not touch each other's screenshots; the next one begins with an empty folder.
func TestArtifactsOfTwoRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	must.NoError(t, os.MkdirAll(filepath.Join(dir, "TestOld"), 0o755))
	claim := func() func() error {
		t.Helper()
		release, err := claimArtifacts(dir)
		must.NoError(t, err)
		return release
	}
	count := func(when string, want int) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		must.NoError(t, err)
		if len(entries) != want {
			t.Errorf("%s: %v, want %d", when, entries, want)
		}
	}
	first := claim()
	count("the first run", 0)
	must.NoError(t, os.Mkdir(filepath.Join(dir, "TestFirst"), 0o755))
	second := claim()
	count("a second beside it", 1)
	must.NoError(t, first())
	third := claim()
	count("a third beside the second", 1)
	must.NoError(t, second())
	must.NoError(t, third())
	last := claim()
	count("one after them", 0)
	must.NoError(t, last())
}
