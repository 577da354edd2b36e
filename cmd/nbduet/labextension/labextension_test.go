package labextension

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// The written extension has the files that its package.json names, and the version of the program.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"0.1.0", "0.2.0"} { // the second replaces the first
		must.NoError(t, Write(dir, version))
		text, err := os.ReadFile(filepath.Join(dir, Name, "package.json"))
		must.NoError(t, err)
		var about struct {
			Name, Version string
			Jupyterlab    struct {
				Build struct{ Load string } `json:"_build"`
			}
		}
		must.NoError(t, json.Unmarshal(text, &about))
		test.Eq(t, Name, about.Name)
		test.Eq(t, version, about.Version)
		test.FileExists(t, filepath.Join(dir, Name, about.Jupyterlab.Build.Load))
		test.FileExists(t, filepath.Join(dir, Name, "schemas", Name, "plugin.json"))
	}
	must.ErrorContains(t, Write(filepath.Join(dir, Name, "package.json"), "0.1.0"), "write the extension of JupyterLab: ")
}

// The built extension is that of the sources, or "make labextension" builds it again.
func TestBuiltOfTheSources(t *testing.T) {
	root := filepath.Join("..", "..", "jupyter-extension", "labextension")
	var files []string
	for _, pattern := range []string{"*.json", "src/*", "style/*", "schema/*"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		must.NoError(t, err)
		files = append(files, found...)
	}
	slices.Sort(files)
	sum := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		must.NoError(t, err)
		sum.Write(text)
	}
	built, err := os.ReadFile("sources.sha256")
	must.NoError(t, err)
	test.Eq(t, fmt.Sprintf("%x\n", sum.Sum(nil)), string(built), test.Sprint("the sources have changed: make labextension"))
}
