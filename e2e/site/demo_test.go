package site_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

// The demo works without a person who watches: it checks its own result.
func TestDemo(t *testing.T) {
	nbduet := kit.Binary(t)
	demo := filepath.Join(t.TempDir(), "demo")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", demo, "../cmd/demo").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = exec.CommandContext(t.Context(), demo, "-nbduet", nbduet).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
