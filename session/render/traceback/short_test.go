package traceback_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/render/traceback"
)

var update = flag.Bool("update", false, "write what the recorded errors become to testdata/short.txt")

// A sample is one error output as a kernel sent it.
type sample struct {
	Case      string
	Cells     []string
	Ename     string
	Evalue    string
	Traceback []string
}

// samples reads the recorded outputs of the kernels of one version.
func samples(t testing.TB, name string) (all []sample) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}

// All recorded errors become the reviewed texts.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	must.NoError(t, err)
	must.SliceNotEmpty(t, files)
	var got strings.Builder
	for _, file := range files {
		for _, s := range samples(t, filepath.Base(file)) {
			text, short := traceback.Short(s.Ename, s.Evalue, s.Traceback)
			fmt.Fprintf(&got, "== %s, %s (short: %v)\n%s\n\n", filepath.Base(file), s.Case, short, text)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/short.txt", []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/short.txt")
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := strings.Split(string(want), "\n\n== "), strings.Split(got.String(), "\n\n== ")
	for i := range min(len(ours), len(theirs)) {
		if ours[i] != theirs[i] {
			t.Errorf("got:\n%s\nwant:\n%s", ours[i], theirs[i])
		}
	}
	if len(ours) != len(theirs) {
		t.Errorf("%d texts, want %d", len(ours), len(theirs))
	}
}
