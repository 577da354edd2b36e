package clients

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// The variables of an entry.
const (
	envURL       = "JUPYTER_SERVER_URL"
	envToken     = "JUPYTER_TOKEN"
	envTokenFile = "JUPYTER_TOKEN_FILE"
	envCAFile    = "NBDUET_CA_FILE"
)

// A jupyter is the Jupyter server of an entry.
type jupyter struct {
	url       string
	tokenFile string
	token     string // to write into tokenFile; empty if the person has their own file
	caFile    string
}

func (j jupyter) variables() map[string]string {
	set := map[string]string{envURL: j.url, envTokenFile: j.tokenFile, envCAFile: j.caFile}
	maps.DeleteFunc(set, func(_, value string) bool { return value == "" })
	return set
}

// server reads the Jupyter server of the entry.
func (c Config) server(m Machine) (j jupyter, err error) {
	if j.token = strings.TrimSpace(c.Token); c.URL != "" {
		u, err := url.Parse(strings.TrimSpace(c.URL))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return j, options.UsageError{Err: errors.New("--jupyter-url: not an address such as http://localhost:8888")} // without the address: it may hold a token
		}
		if u.User != nil {
			return j, options.UsageError{Err: errors.New("--jupyter-url: contains a user name or password; give the token with --token-file")}
		}
		if in := strings.TrimSpace(u.Query().Get("token")); j.token == "" {
			j.token = in
		}
		u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = "", "", "", false
		j.url = u.String()
	}
	if c.CAFile != "" {
		if j.caFile, err = filepath.Abs(c.CAFile); err != nil || !exists(j.caFile) {
			return j, fmt.Errorf("--ca-file: no such file: %s", c.CAFile)
		}
	}
	if c.TokenFile != "" {
		j.token = ""
		j.tokenFile, err = personal(c.TokenFile)
		return j, err
	}
	if j.token == "" {
		return j, nil
	}
	if !filepath.IsAbs(m.Data) {
		return j, errors.New("the user has no folder for the token: give a file with it in --token-file")
	}
	j.tokenFile = filepath.Join(tokens(m), tokenName(j.url))
	return j, nil
}

// personal checks a token file that the person made.
func personal(named string) (string, error) {
	file, err := filepath.Abs(named)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("--token-file: %w", err)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return "", fmt.Errorf("--token-file: %s has no token", file)
	case othersRead(info):
		return "", fmt.Errorf("--token-file: others can read %s: run chmod 600 on it", file)
	}
	return file, nil
}

func tokens(m Machine) string { return filepath.Join(m.Data, "tokens") }

var odd = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// tokenName returns the name of a server's token file. It has the path, because servers on a hub share one address.
func tokenName(address string) string {
	address = cmp.Or(address, "http://localhost:8888") // nbduet's default if it finds no server
	u, err := url.Parse(address)
	if err != nil {
		u = &url.URL{}
	}
	port := u.Port()
	port = cmp.Or(port, map[string]string{"http": "80", "https": "443"}[u.Scheme])
	plain := u.Hostname() + "-" + port
	if path := strings.Trim(u.Path, "/"); path != "" {
		plain += "-" + path
	}
	name := strings.Trim(odd.ReplaceAllString(plain, "_"), ".")
	if name == plain && len(name) <= 100 {
		return name
	}
	return fmt.Sprintf("%.100s-%x", name, sha256.Sum256([]byte(plain)))[:min(len(name), 100)+9]
}

// keep writes the token into its file, which only the user can read, and reports whether the file is new.
func (j jupyter) keep() (fresh bool, err error) {
	if j.token == "" {
		return false, nil
	}
	dir, text := filepath.Dir(j.tokenFile), []byte(j.token+"\n")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return false, err
	}
	info, err := os.Lstat(j.tokenFile)
	fresh = errors.Is(err, fs.ErrNotExist)
	if err == nil && info.Mode().IsRegular() && !othersRead(info) {
		if now, err := os.ReadFile(j.tokenFile); err == nil && bytes.Equal(now, text) {
			return false, nil
		}
	}
	written, err := beside(j.tokenFile, text, nil)
	if err != nil {
		return false, err
	}
	if err := os.Rename(written, j.tokenFile); err != nil {
		return false, errors.Join(err, os.Remove(written))
	}
	return fresh, nil
}

// ours reports whether nbduet wrote a token file.
func ours(m Machine, file string) bool {
	return filepath.IsAbs(m.Data) && filepath.Dir(filepath.Clean(file)) == tokens(m)
}

// forget removes a token file that nbduet wrote, unless a client's entry names it or a client's file cannot be read. It
// reports whether the file was removed.
func forget(m Machine, token string, files map[string]format) bool {
	if token == "" || !ours(m, token) {
		return false
	}
	for named, format := range files {
		f, err := open(named)
		if err != nil {
			return false
		}
		if e, err := read(format, f.text); err != nil || e != nil && filepath.Clean(e.env[envTokenFile]) == filepath.Clean(token) {
			return false
		}
	}
	return os.Remove(token) == nil
}
