package packages

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test/must"

	"go.yaml.in/yaml/v3"

	"github.com/nbduet/nbduet/e2e/kit"
)

// release is GoReleaser's release for this machine.
type release struct {
	// Clone is the repository that it was made from, with the version's tag.
	Clone string
	// Version is the newest version in CHANGELOG.md.
	Version string
	// Packages has wheels, npm packages and bundles, Dist GoReleaser's own files.
	Packages, Dist string
}

// made makes the release, once.
var made = sync.OnceValues(func() (*release, error) { return makeRelease(kit.BuildDir) })

// built returns the release of this machine, which the first call makes.
func built(t *testing.T) *release {
	t.Helper()
	r, err := made()
	must.NoError(t, err)
	return r
}

// heading matches the heading of a release in the changelog.
var heading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`)

// newest returns the newest version in the changelog.
func newest() (string, error) {
	text, err := os.ReadFile(filepath.Join(kit.Root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	found := heading.FindSubmatch(text)
	if found == nil {
		return "", errors.New("CHANGELOG.md has no heading of a version")
	}
	return string(found[1]), nil
}

func makeRelease(dir string) (*release, error) {
	version, err := newest()
	if err != nil {
		return nil, fmt.Errorf("make a release: %w", err)
	}
	r := &release{Clone: filepath.Join(dir, "clone"), Version: version}
	r.Dist, r.Packages = filepath.Join(r.Clone, "dist"), filepath.Join(r.Clone, ".cache", "packages")
	if err := cloneTagged(r.Clone, version); err != nil {
		return nil, fmt.Errorf("make a release: %w", err)
	}
	config := filepath.Join(dir, "goreleaser.yaml")
	if err := narrowed(filepath.Join(r.Clone, ".goreleaser.yaml"), config); err != nil {
		return nil, fmt.Errorf("make a release: %w", err)
	}
	cmd := exec.Command(filepath.Join(kit.Root, "packaging", "goreleaser.sh"), "release", "--clean", "--config", config, "--skip=publish,sign,docker,sbom")
	cmd.Dir = r.Clone
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a release: %w\n%s", err, out)
	}
	return r, nil
}

// cloneTagged clones the repository with the changes of the working tree, and tags them with the version.
func cloneTagged(dir, version string) error {
	git := func(in string, args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost")
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("git %q: %w\n%s", args, err, log.Bytes())
		}
		return strings.TrimSpace(out.String()), nil
	}
	commit, err := git(kit.Root, "stash", "create")
	if err == nil && commit == "" {
		commit, err = git(kit.Root, "rev-parse", "HEAD")
	}
	if err != nil {
		return err
	}
	// The clone shares the repository's objects, which alone include uncommitted changes.
	if _, err := git(kit.Root, "clone", "-q", "--shared", "--no-checkout", "--no-tags", kit.Root, dir); err != nil {
		return err
	}
	if _, err := git(dir, "checkout", "-q", "--detach", commit); err != nil {
		return err
	}
	_, err = git(dir, "tag", "v"+version)
	return err
}

// narrowed writes GoReleaser's configuration for this machine only: six machines take six times as long.
func narrowed(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := yaml.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	build := config["builds"].([]any)[0].(map[string]any)
	build["goos"], build["goarch"] = []string{runtime.GOOS}, []string{runtime.GOARCH}
	delete(config, "universal_binaries") // of two machines
	if text, err = yaml.Marshal(config); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, text, 0o600)
}

// one returns the only file of a folder that matches the pattern.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	must.NoError(t, err)
	if len(found) != 1 {
		entries, err := os.ReadDir(dir)
		t.Fatalf("%d files %s in %s: %v %v", len(found), pattern, dir, entries, err)
	}
	return found[0]
}
