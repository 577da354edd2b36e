package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// npmFile is a file of an npm package.
type npmFile struct {
	Mode    int64
	Content []byte
}

// npmPackage reads a package, as npm packs it, and its package.json.
func npmPackage(t *testing.T, tarball string) (files map[string]npmFile, manifest map[string]any) {
	t.Helper()
	f, err := os.Open(tarball)
	must.NoError(t, err)
	defer f.Close()
	unzip, err := gzip.NewReader(f)
	must.NoError(t, err)
	files = make(map[string]npmFile)
	for archive := tar.NewReader(unzip); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.NoError(t, err)
		content, err := io.ReadAll(archive)
		must.NoError(t, err)
		files[strings.TrimPrefix(head.Name, "package/")] = npmFile{head.Mode, content}
	}
	must.NoError(t, json.Unmarshal(files["package.json"].Content, &manifest))
	return files, manifest
}

// npmRegistry serves packages as an npm registry does and returns its address. npm needs only a package's metadata and
// the files that it names.
func npmRegistry(t *testing.T, tarballs []string) string {
	t.Helper()
	pages := make(map[string][]byte)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(page) // npm may have gone
	}))
	t.Cleanup(server.Close)
	for _, tarball := range tarballs {
		content, err := os.ReadFile(tarball)
		must.NoError(t, err)
		_, manifest := npmPackage(t, tarball)
		name, version := manifest["name"].(string), manifest["version"].(string)
		file := "/" + name + "/-/" + filepath.Base(tarball)
		long, short := sha512.Sum512(content), sha1.Sum(content) // npm writes both hashes
		manifest["dist"] = map[string]any{
			"tarball":   server.URL + file,
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(long[:]),
			"shasum":    hex.EncodeToString(short[:]),
		}
		about, err := json.Marshal(map[string]any{
			"name": name, "dist-tags": map[string]any{"latest": version}, "versions": map[string]any{version: manifest},
		})
		must.NoError(t, err)
		pages["/"+name], pages[file] = about, bytes.Clone(content)
	}
	return server.URL
}
