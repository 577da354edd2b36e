package gateways

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/e2e/lab"
)

// The page with the setup, and the gateway's port there.
const (
	page     = "docs/kernels-elsewhere.md"
	pagePort = "8899"
)

// command is a command of the page: `NAME=value program sub --option …`.
type command struct {
	env  []string
	args []string // the program first
}

// commands returns the commands in the shell blocks below a heading of the page, with another port for the gateway.
func commands(heading, port string) ([]command, error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return nil, err
	}
	_, part, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		return nil, fmt.Errorf("%s has no part %q", page, heading)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	var list []command
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(part, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			words := strings.Fields(strings.ReplaceAll(line, pagePort, port))
			var c command
			for len(words) > 0 && strings.Contains(words[0], "=") {
				c.env, words = append(c.env, words[0]), words[1:]
			}
			if c.args = words; len(words) > 0 && words[0] == "jupyter" {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// commandOf returns the page's command that begins with those words.
func commandOf(heading, port string, words ...string) (command, error) {
	list, err := commands(heading, port)
	if err != nil {
		return command{}, err
	}
	for _, c := range list {
		if strings.HasPrefix(strings.Join(c.args, " ")+" ", strings.Join(words, " ")+" ") {
			c.args = c.args[len(words):]
			return c, nil
		}
	}
	return command{}, fmt.Errorf("%s has no command %q in the part %q", page, strings.Join(words, " "), heading)
}
