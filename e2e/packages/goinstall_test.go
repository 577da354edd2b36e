package packages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// go install of the newest release, as a Go user types it, makes a program that knows its version. The repository is a
// clone with the tag, and the test has its own module cache: the machine's would keep this v0.1.0 forever.
func TestGoInstall(t *testing.T) {
	t.Parallel()
	const address = "github.com/nbduet/nbduet"
	version, err := newest()
	must.NoError(t, err)
	dir := t.TempDir()
	clone := filepath.Join(dir, "clone")
	must.NoError(t, cloneTagged(clone, version))
	set, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY", "GOFLAGS").Output()
	must.NoError(t, err)
	known := strings.Split(string(set), "\n")
	env := append(
		os.Environ(),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+clone+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+address,
		"GOPRIVATE="+address,
		// The machine has already verified the other modules in its cache.
		fmt.Sprintf("GOPROXY=file://%s/cache/download,%s", filepath.ToSlash(known[0]), known[1]), "GOSUMDB=off",
		"GOBIN="+filepath.Join(dir, "bin"), "GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOFLAGS="+known[2]+" -modcacherw -trimpath", "CGO_ENABLED=0", "GOWORK=off",
	)
	install := exec.Command("go", "install", address+"/cmd/nbduet@latest")
	install.Dir, install.Env = dir, env
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	program := filepath.Join(dir, "bin", "nbduet")
	says, err := exec.Command(program, "--version").Output()
	must.NoError(t, err)
	if want := "nbduet " + version + " (go"; !strings.HasPrefix(string(says), want) {
		t.Errorf("--version says %q, not %q", says, want)
	}
	works(t, []string{program})
}
