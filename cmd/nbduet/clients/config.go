package clients

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

// Config is the command line of nbduet config.
type Config struct {
	Write  bool `name:"write" help:"Add nbduet to the client's file, with a backup beside it. The rest of the file is unchanged."`
	Remove bool `name:"remove" help:"Remove nbduet from the client's file."`
	List   bool `name:"list" help:"List the clients on this machine, and which of them have nbduet."`
	JSON   bool `name:"json" help:"With --list: print JSON, with the clients not on this machine."`

	File      string `name:"file" placeholder:"FILE" help:"File used instead of the client's file for all projects."`
	Command   string `name:"command" placeholder:"COMMAND" help:"Command that starts nbduet, instead of the detected one: a program, or a program with arguments."`
	URL       string `name:"jupyter-url" env:"JUPYTER_SERVER_URL" placeholder:"URL" help:"Address of the Jupyter server. Without it, nbduet finds the server that runs on this machine."`
	Token     string `name:"token" env:"JUPYTER_TOKEN" placeholder:"TOKEN" help:"Token of the Jupyter server. It is not written into the client's file, but into a separate file that only you can read."`
	TokenFile string `name:"token-file" env:"JUPYTER_TOKEN_FILE" placeholder:"FILE" help:"File with the token, which only you can read; overrides --token."`
	CAFile    string `name:"ca-file" env:"NBDUET_CA_FILE" placeholder:"FILE" help:"Certificates of the authority that signed the Jupyter server's certificate."`
}

// Run prints the configuration of the client that the arguments name, writes or removes it, or lists the clients. Remarks
// that must not be pasted with the configuration go to warn.
func (c Config) Run(args []string, m Machine, out, warn io.Writer) error {
	switch {
	case c.Write && c.Remove, c.List && (c.Write || c.Remove):
		return options.UsageError{Err: errors.New("config: --write, --remove and --list exclude each other")}
	case c.JSON && !c.List:
		return options.UsageError{Err: errors.New("config: --json needs --list")}
	case c.List && len(args) > 0:
		return options.UsageError{Err: fmt.Errorf("config: unexpected argument %s: --list covers all clients", args[0])}
	case c.List && c.File != "":
		return options.UsageError{Err: errors.New("config: --file is for one client, --list covers all")}
	case c.List:
		return c.list(m, out)
	}
	client, err := find(args)
	if err != nil {
		return err
	}
	if m.Home == "" {
		return errNoHome
	}
	named := client.file(m)
	if c.File != "" {
		if named, err = filepath.Abs(c.File); err != nil {
			return fmt.Errorf("--file: %w", err)
		}
	}
	if c.Remove {
		return remove(client, named, m, out)
	}
	command, problem := starter(m, c.Command)
	if problem != "" {
		fmt.Fprintf(warn, "a client may fail to start this nbduet: %s; name another with --command\n", problem)
	}
	j, err := c.server(m)
	if err != nil {
		return err
	}
	if !c.Write {
		return show(client, named, command, j, out, warn)
	}
	if c.File == "" && !present(client, m) {
		fmt.Fprintf(warn, "%s was not found on this machine; its file is written anyway\n", client.title)
	}
	return write(client, named, command, j, m, out, warn)
}

// show prints the text to paste.
func show(c client, named string, command []string, j jupyter, out, warn io.Writer) error {
	text, err := put(c.format, nil, change{command: command, set: j.variables()})
	if err != nil {
		return err
	}
	comment := "//"
	if _, ok := c.format.(tomlTable); ok {
		comment = "#"
	}
	fmt.Fprintf(warn, "%s for %s, where nbduet config %s --write puts it\n", comment, named, c.name)
	if j.token != "" {
		fmt.Fprintf(warn, "%s --write puts the token into %s, which only you can read\n", comment, j.tokenFile)
	}
	_, err = out.Write(text)
	return err
}

// write adds nbduet to a client's file.
func write(c client, named string, command []string, j jupyter, m Machine, out, warn io.Writer) error {
	var before *entry
	change := func(text []byte) (_ []byte, err error) {
		if before, err = read(c.format, text); err != nil {
			return nil, err
		}
		if before != nil && len(before.command) == 0 && before.remote != "" {
			return nil, fmt.Errorf("its nbduet entry is an address; to start nbduet on this machine, remove that entry first: nbduet config %s --remove", c.name)
		}
		return put(c.format, text, change{command: command, set: j.variables(), unset: stale(before, j, m)})
	}
	if _, _, err := edit(named, change); err != nil { // check before the token is written
		return err
	}
	fresh, err := j.keep()
	if err != nil {
		return fmt.Errorf("save the token: %w", err)
	}
	file, changed, err := update(named, change)
	if err != nil {
		if fresh {
			forget(m, j.tokenFile, others(m, nil, ""))
		}
		return err
	}
	if before != nil && before.env[envTokenFile] != j.tokenFile {
		forget(m, before.env[envTokenFile], others(m, c.format, named))
	}
	if before != nil && before.env[envToken] != "" {
		fmt.Fprintf(warn, "%s has a token in plain text in %s, which nbduet does not remove\n", named, envToken)
	}
	said := fmt.Sprintf("%s already has this nbduet entry: %s is unchanged", c.title, named)
	if changed {
		said = fmt.Sprintf("added nbduet to %s", named)
		if file.info != nil {
			said += " (backup: " + file.backup() + ")"
		}
	}
	if j.token != "" {
		said += ", and the token in " + j.tokenFile + ", which only you can read"
	}
	if changed {
		said += "; " + c.next
	}
	_, err = fmt.Fprintln(out, said)
	return err
}

// stale lists variables of an entry that belong to another server: a token that nbduet wrote is sent only to its server.
func stale(before *entry, j jupyter, m Machine) []string {
	if before == nil || j.url == "" || j.tokenFile != "" || before.env[envURL] == j.url || !ours(m, before.env[envTokenFile]) {
		return nil
	}
	return []string{envTokenFile}
}

// remove removes nbduet from a client's file.
func remove(c client, named string, m Machine, out io.Writer) error {
	var before *entry
	file, changed, err := update(named, func(text []byte) (_ []byte, err error) {
		if before, err = read(c.format, text); err != nil || before == nil {
			return text, err
		}
		return drop(c.format, text)
	})
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s has no nbduet in %s: there is nothing to remove", c.title, named)
	if changed {
		said = fmt.Sprintf("removed nbduet from %s (backup: %s)", named, file.backup())
		if token := before.env[envTokenFile]; forget(m, token, others(m, c.format, named)) {
			said += ", and deleted the token of its Jupyter server"
		}
		if words := strings.Fields(c.next); slices.Contains(words, "restart") {
			said += "; " + strings.SplitN(c.next, ";", 2)[0]
		}
	}
	_, err = fmt.Fprintln(out, said)
	return err
}

// others returns the files whose entries may name a token: those of all clients, and one more.
func others(m Machine, f format, named string) map[string]format {
	files := lo.SliceToMap(clients, func(c client) (string, format) { return c.file(m), c.format })
	if f != nil {
		files[named] = f
	}
	return files
}
