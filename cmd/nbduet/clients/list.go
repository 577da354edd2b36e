package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// Installed is a client on a machine.
type Installed struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	File       string   `json:"file"`
	Present    bool     `json:"present"`           // it is on this machine
	Configured bool     `json:"configured"`        // nbduet is in its file
	Command    []string `json:"command,omitempty"` // that starts nbduet
	Problem    string   `json:"problem,omitempty"` // why the command does not work
}

var errNoHome = errors.New("the home folder, which has the clients' files, is not known: set HOME")

// present reports whether a client appears to be on the machine.
func present(c client, m Machine) bool {
	signs := []string{filepath.Dir(c.file(m))}
	if c.signs != nil {
		signs = c.signs(m)
	}
	if slices.ContainsFunc(signs, exists) {
		return true
	}
	if c.program == "" {
		return false
	}
	_, err := m.Look(c.program)
	return err == nil
}

// List returns all clients, including those that are not on the machine. An error with one client is its Problem.
func List(m Machine) ([]Installed, error) {
	if m.Home == "" {
		return nil, errNoHome
	}
	var all []Installed
	for _, c := range clients {
		i := Installed{Name: c.name, Title: c.title, File: c.file(m), Present: present(c, m)}
		if f, err := open(i.File); err != nil {
			i.Problem = err.Error()
		} else if e, err := read(c.format, f.text); err != nil {
			i.Problem = fmt.Sprintf("%s: %v", i.File, err)
		} else if e != nil {
			i.Configured, i.Command, i.Problem = true, e.command, e.problem(m)
		}
		all = append(all, i)
	}
	return all, nil
}

// problem says why nbduet will not work for a client.
func (e *entry) problem(m Machine) string {
	if len(e.command) == 0 && e.remote != "" {
		return ""
	}
	program := ""
	if len(e.command) > 0 {
		program = e.command[0]
	}
	if why := wrong(m, program); why != "" {
		return why
	}
	for _, v := range []struct{ env, what string }{{envTokenFile, "token file"}, {envCAFile, "file of certificates"}} {
		if file := e.env[v.env]; file != "" && !exists(file) {
			return fmt.Sprintf("its %s %s does not exist", v.what, file)
		}
	}
	if info, err := os.Stat(e.env[envTokenFile]); err == nil && othersRead(info) {
		return fmt.Sprintf("others can read its token file %s", e.env[envTokenFile])
	}
	return ""
}

// list prints the clients.
func (c Config) list(m Machine, out io.Writer) error {
	all, err := List(m)
	if err != nil {
		return err
	}
	if c.JSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(all)
	}
	var missing []string
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, i := range all {
		says := "without nbduet"
		switch {
		case i.Configured && i.Problem != "":
			says = "has nbduet, but " + i.Problem
		case i.Configured:
			says = "has nbduet"
		case i.Problem != "":
			says = i.Problem
		case !i.Present:
			missing = append(missing, i.Name)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", i.Name, i.Title, i.File, says)
	}
	if err := w.Flush(); err != nil || len(missing) == 0 {
		return err
	}
	_, err = fmt.Fprintf(out, "not on this machine: %s\n", strings.Join(missing, ", "))
	return err
}

// self returns the command with which a person starts this program in a terminal.
func self(m Machine) []string {
	if _, same := inPath(m); same {
		return []string{name}
	}
	command, _ := starter(m, "")
	return command
}

// Self returns the command with which a person starts this program in a terminal, quoted for the system's shell.
func Self(m Machine) string { return console.Typed(m.GOOS, self(m)...) }

// Lines returns the commands that connect this program to the clients on the machine, one for each client that does not
// start this nbduet yet.
func Lines(m Machine) []string {
	all, err := List(m)
	if err != nil {
		return nil
	}
	command, _ := starter(m, "")
	var lines []string
	for _, i := range all {
		remote := i.Configured && len(i.Command) == 0
		if !i.Present || i.Configured && i.Problem == "" && (remote || slices.Equal(i.Command, command)) {
			continue
		}
		words := append(self(m), "config", i.Name, "--write")
		if _, err := m.Look("claude"); err == nil && i.Name == "claude-code" && !i.Configured {
			words = append([]string{"claude", "mcp", "add", "--scope", "user", name, "--"}, command...)
		}
		lines = append(lines, console.Typed(m.GOOS, words...))
	}
	return lines
}
