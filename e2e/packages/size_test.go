package packages

import (
	"compress/flate"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
)

// counter counts the written bytes.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// The program stays small, because people download it and hosts unpack it at each update. One method call by a name that
// the linker does not know, in any library, costs 3 MB, because the linker then keeps every exported method.
func TestProgramIsSmall(t *testing.T) {
	const (
		most       = 30_000_000
		mostZipped = 13_000_000
	)
	program := filepath.Join(t.TempDir(), "nbduet")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/nbduet")
	build.Dir, build.Env = kit.Root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	f, err := os.Open(program)
	must.NoError(t, err)
	defer f.Close()
	var zipped counter
	w, err := flate.NewWriter(&zipped, flate.BestCompression)
	must.NoError(t, err)
	size, err := io.Copy(w, f)
	must.NoError(t, err)
	must.NoError(t, w.Close())
	t.Logf("%d bytes, %d zipped", size, zipped)
	test.LessEq(t, most, size)
	test.LessEq(t, mostZipped, zipped)
}
