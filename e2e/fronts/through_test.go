package fronts

import (
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
)

// locked returns the options of a server with a password and no token.
func locked() lab.Options {
	return lab.Options{
		Args:      []string{"--PasswordIdentityProvider.hashed_password=" + hash(password)},
		Env:       []string{"JUPYTER_TOKEN="},
		ReadyPath: "/api",
	}
}

// work makes a notebook, runs it, and checks its file.
func work(t *testing.T, a *agent.Agent, l *lab.Lab, path string) {
	t.Helper()
	do(t, a, "create_document", map[string]any{"path": path, "type": "notebook"})
	add(t, a, path, "print(6 * 7)")
	has(t, "the run", do(t, a, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0}}}), "42")
	inFile(t, l, path, "6 * 7")
}

// add puts a cell at the top of a notebook.
func add(t *testing.T, a *agent.Agent, path, source string) {
	t.Helper()
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": source}}})
}

// inFile waits until a file of the server contains a text.
func inFile(t *testing.T, l *lab.Lab, path, text string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		content, err := os.ReadFile(filepath.Join(l.Root, path))
		if err == nil && strings.Contains(string(content), text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s has no %q: %v\n%s", path, text, err, content)
		}
	}
}

// Behind each proxy, set up as the page says, the program works with a token and with a password; the error for a
// certificate of an unknown authority says so.
func TestBehindProxies(t *testing.T) {
	t.Parallel()
	l, ca := behind(t, locked()), newAuthority(t, time.Now().Add(-time.Hour))
	secret := filepath.Join(t.TempDir(), "password")
	must.NoError(t, os.WriteFile(secret, []byte(password+"\n"), 0o600))
	t.Run("nginx", func(t *testing.T) {
		p := nginx(t, ca, l)
		work(t, start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_PASSWORD_FILE="+secret), l, "nginx.ipynb")
		a := start(t, l, p.url, "JUPYTER_PASSWORD_FILE="+secret)
		refused(t, a, "list_files", nil, "signed by an authority that this machine does not know", "--ca-file")
		a = start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_PASSWORD=no")
		refused(t, a, "list_files", nil, "the password is wrong", "JUPYTER_PASSWORD")
	})
	t.Run("Caddy", func(t *testing.T) {
		p := caddy(t, ca, l)
		work(t, start(t, l, p.url+"lab/tree/a.ipynb", "NBDUET_CA_FILE="+ca.ca, "JUPYTER_PASSWORD="+password), l, "caddy.ipynb")
	})
}

// hash returns a password in Jupyter's oldest format, which needs no library.
func hash(password string) string {
	sum := sha1.Sum([]byte(password + "5a17"))
	return "sha1:5a17:" + hex.EncodeToString(sum[:])
}
