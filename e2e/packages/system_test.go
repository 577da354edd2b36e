package packages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/sassoftware/go-rpmutils"

	"github.com/nbduet/nbduet/e2e/kit"
)

// The archive has the program beside the licence, and the program works where it was unpacked.
func TestArchive(t *testing.T) {
	t.Parallel()
	r := built(t)
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "tar", "-xzf", one(t, r.Dist, "nbduet_*.tar.gz"), "-C", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	works(t, []string{filepath.Join(dir, "nbduet")})
}

// systemFiles are the installed files of a deb and an rpm, with the modes.
var systemFiles = []string{
	"-rwxr-xr-x /usr/bin/nbduet",
	"-rw-r--r-- /usr/lib/systemd/user/nbduet.service",
	"-rw-r--r-- /usr/share/doc/nbduet/copyright",
}

// dpkg installs the deb into a separate system, and the program works there.
func TestDeb(t *testing.T) {
	t.Parallel()
	deb := one(t, built(t).Dist, "*.deb")
	system := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/updates", "var/lib/dpkg/info", "usr/bin"} {
		must.NoError(t, os.MkdirAll(filepath.Join(system, dir), 0o755))
	}
	must.NoError(t, os.WriteFile(filepath.Join(system, "var/lib/dpkg/status"), nil, 0o600))
	dpkg := exec.CommandContext(t.Context(), "dpkg", "--root="+system, "--force-not-root", "--log=/dev/null", "--install", deb)
	dpkg.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	if out, err := dpkg.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for _, line := range systemFiles {
		_, name, _ := strings.Cut(line, " ")
		info, err := os.Stat(filepath.Join(system, name))
		must.NoError(t, err)
		got = append(got, info.Mode().String()+" "+name)
	}
	if !slices.Equal(got, systemFiles) {
		t.Errorf("installed are %q, not %q", got, systemFiles)
	}
	works(t, []string{filepath.Join(system, "usr/bin/nbduet")})
}

// The rpm has the same files.
func TestRPM(t *testing.T) {
	f, err := os.Open(one(t, built(t).Dist, "*.rpm"))
	must.NoError(t, err)
	defer f.Close()
	pkg, err := rpmutils.ReadRpm(f)
	must.NoError(t, err)
	version, err := pkg.Header.GetString(rpmutils.VERSION)
	must.NoError(t, err)
	if version != built(t).Version {
		t.Errorf("the rpm's version is %s", version)
	}
	files, err := pkg.Header.GetFiles()
	must.NoError(t, err)
	var got []string
	for _, file := range files {
		got = append(got, os.FileMode(file.Mode()&0o777).String()+" "+file.Name())
	}
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(a[11:], b[11:]) })
	if !slices.Equal(got, systemFiles) {
		t.Errorf("the rpm has %q, not %q", got, systemFiles)
	}
}

// The unit starts the installed program and names settings that exist.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(kit.Root, "packaging", "linux", "nbduet.service"))
	must.NoError(t, err)
	for _, line := range []string{"ExecStart=/usr/bin/nbduet --transport streamable-http", "EnvironmentFile=-%E/nbduet/env", "WantedBy=default.target"} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
}

// The list of checksums has every published file and is correct.
func TestChecksums(t *testing.T) {
	r := built(t)
	text, err := os.ReadFile(filepath.Join(r.Dist, "checksums.txt"))
	must.NoError(t, err)
	sums := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	files, err := filepath.Glob(filepath.Join(r.Packages, "*"))
	must.NoError(t, err)
	for _, pattern := range []string{"*.tar.gz", "*.deb", "*.rpm"} {
		files = append(files, one(t, r.Dist, pattern))
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		must.NoError(t, err)
		sum := sha256.Sum256(content)
		if name := filepath.Base(file); sums[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("checksums.txt has %q for %s", sums[name], name)
		}
		delete(sums, filepath.Base(file))
	}
	if len(sums) > 0 {
		t.Errorf("checksums.txt has files that were not made: %v", sums)
	}
}

// The program of a release has the tag's version and its commit, and was built without paths of the machine.
func TestProgram(t *testing.T) {
	r := built(t)
	program := one(t, r.Dist, fmt.Sprintf("nbduet_%s_%s*/nbduet", runtime.GOOS, runtime.GOARCH))
	said, err := exec.CommandContext(t.Context(), program, "--version").Output()
	must.NoError(t, err)
	commit, err := exec.CommandContext(t.Context(), "git", "-C", r.Clone, "rev-parse", "--short=12", "HEAD").Output()
	must.NoError(t, err)
	if want := fmt.Sprintf("nbduet %s (%s, commit %s)", r.Version, runtime.Version(), strings.TrimSpace(string(commit))); strings.TrimSpace(string(said)) != want {
		t.Errorf("the program says %q, not %q", said, want)
	}
	content, err := os.ReadFile(program)
	must.NoError(t, err)
	if strings.Contains(string(content), r.Clone) {
		t.Errorf("the program names the folder in which it was built")
	}
}

// The container runs the installed program as an unprivileged user, and its health check calls an existing command.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(kit.Root, "packaging", "Dockerfile"))
	must.NoError(t, err)
	for _, line := range []string{`USER nonroot:nonroot`, `ENTRYPOINT ["/usr/bin/nbduet"]`, `CMD ["/usr/bin/nbduet", "health"]`, "@sha256:"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the Dockerfile has no %s", line)
		}
	}
}
