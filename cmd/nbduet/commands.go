package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/cmd/nbduet/console"
	"github.com/nbduet/nbduet/cmd/nbduet/doctor"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/skill"
	"github.com/nbduet/nbduet/cmd/nbduet/up"
	"github.com/nbduet/nbduet/cmd/nbduet/userdirs"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/session/store/journal"
	"github.com/nbduet/nbduet/session/textfmt"
)

// surroundings are the streams and the server search of a command.
type surroundings struct {
	out, errs io.Writer
	find      discover // nil for the usual one
}

// A command is one that the program's first argument names.
type command struct {
	name, args string
	what       []string // lines
	set        *pflag.FlagSet
	help       *bool
	run        func(context.Context, []string, surroundings) error
}

// commands are those with their own flags; start and health use the server's.
func commands() []command {
	return []command{
		newCommand("up", "[FOLDER | NOTEBOOK]", []string{"Start JupyterLab with collaboration for a", "folder or a notebook, by default this folder,", "and print a command that connects each AI", "client. If there is no JupyterLab, install it", "first."}, bringUp),
		newCommand("doctor", "", []string{"Diagnose problems: check the Jupyter server,", "collaboration, kernels and this machine. The", "exit status is 0 if all is well, else 1."}, examine),
		newCommand("config", "[CLIENT]", []string{"Print an AI client's configuration, or add", "it to the client's file."}, configure),
		newCommand("journal", "[NOTEBOOK]", []string{"List the notebooks whose edits are kept for", "undo, or remove the edits of one or of all."}, showJournal),
		newCommand("skill", "[FOLDER]", []string{"Print the skill for working beside people, or", "install it where clients look for skills."}, showSkill),
	}
}

// newCommand returns a command whose flags are the fields of an F.
func newCommand[F any](name, args string, what []string, run func(context.Context, F, []string, surroundings) error) command {
	var f struct {
		Flags F
		Help  bool `name:"help" short:"h" help:"Print this help and exit."`
	}
	return command{name, args, what, options.New(&f), &f.Help, func(ctx context.Context, args []string, to surroundings) error {
		return run(ctx, f.Flags, args, to)
	}}
}

// named returns the command that the first argument names.
func named(args []string) (c command, found bool) {
	if len(args) == 0 {
		return command{}, false
	}
	return lo.Find(commands(), func(c command) bool { return c.name == args[0] })
}

// do runs a command with the arguments after its name.
func (c command) do(ctx context.Context, args []string, to surroundings) error {
	err := options.Parse(c.set, args, os.Getenv)
	switch {
	case *c.help:
		_, err := fmt.Fprintf(to.out, "Usage: nbduet %s [flags]\n\n%s\n\nFlags:\n%s", strings.TrimSpace(c.name+" "+c.args), strings.Join(c.what, "\n"), options.Help(c.set))
		return err
	case err != nil:
		return options.UsageError{Err: fmt.Errorf("%w; nbduet %s --help lists the flags", err, c.name)}
	}
	return c.run(ctx, c.set.Args(), to)
}

// list formats commands for the program's help.
func list(commands []command) string {
	var b strings.Builder
	for _, c := range commands {
		for i, line := range c.what {
			head := ""
			if i == 0 {
				head = strings.TrimSpace(c.name + " " + c.args)
			}
			fmt.Fprintf(&b, "  %-32s %s\n", head, line)
		}
	}
	return b.String()
}

func showSkill(_ context.Context, f skill.Flags, args []string, at surroundings) error {
	usual := func() ([]string, error) {
		m, err := clientMachine()
		if err != nil {
			return nil, err
		}
		return clients.SkillFolders(m)
	}
	return f.Run(args, usual, at.out)
}

func bringUp(ctx context.Context, f up.Up, args []string, at surroundings) error {
	clientsHere, err := clientMachine()
	if err != nil {
		return err
	}
	state, err := userdirs.Here().State()
	if err != nil {
		return err
	}
	m := up.Machine{
		Data: clientsHere.Data, State: state, Version: thisBuild().version, Env: os.Getenv,
		Lines: func() []string { return clients.Lines(clientsHere) }, Self: clients.Self(clientsHere), Note: thisBuild().releaseNote(),
	}
	return f.Run(ctx, args, m, at.out, at.errs)
}

func configure(_ context.Context, f clients.Config, args []string, at surroundings) error {
	m, err := clientMachine()
	if err != nil {
		return err
	}
	return f.Run(args, m, at.out, at.errs)
}

// journalFlags are the flags of nbduet journal.
type journalFlags struct {
	Remove bool   `name:"remove" help:"Remove the edits of the notebook, or of all if none is named. Programs that are running keep those of open notebooks."`
	State  string `name:"state" env:"NBDUET_STATE" placeholder:"FILE" help:"As for start: the database beside which the edits are kept."`
}

// showJournal runs nbduet journal.
func showJournal(ctx context.Context, f journalFlags, args []string, at surroundings) error {
	if len(args) > 1 {
		return options.UsageError{Err: fmt.Errorf("unexpected argument %s", args[1])}
	}
	file := strings.TrimSpace(f.State)
	if file == "" {
		var err error
		if file, err = activityPath(); err != nil {
			return err
		}
	}
	file = journal.Beside(file)
	all, err := journal.List(ctx, file)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		all = slices.DeleteFunc(all, func(n journal.Notebook) bool { return n.Path != args[0] })
		if len(all) == 0 {
			return options.UsageError{Err: fmt.Errorf("%s has no edits of %s: nbduet journal lists the notebooks", file, args[0])}
		}
	}
	did := "has"
	if f.Remove {
		did = "had"
		if err := journal.Remove(ctx, file, all); err != nil {
			return err
		}
	}
	for _, n := range all {
		if _, err := fmt.Fprintf(at.out, "%s on %s %s %s from %s to %s\n", n.Path, n.Server, did, textfmt.Plural(n.Steps, "edit"),
			n.First.Format(time.DateTime), n.Last.Format(time.DateTime)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(at.out, "%s in %s\n", textfmt.Plural(len(all), "notebook"), file)
	return err
}

// clientMachine describes this machine for package clients.
func clientMachine() (clients.Machine, error) {
	program, err := os.Executable()
	if err != nil {
		return clients.Machine{}, fmt.Errorf("find this program: %w", err)
	}
	data, err := userdirs.Here().Data()
	if err != nil {
		return clients.Machine{}, err
	}
	home, _ := os.UserHomeDir() // code that needs it reports that it is missing
	return clients.Machine{GOOS: runtime.GOOS, Env: os.Getenv, Home: home, Program: program, Data: data, Look: exec.LookPath, Published: published != ""}, nil
}

// doctorFlags are the flags of nbduet doctor.
type doctorFlags struct {
	JSON    bool `name:"json" help:"Print the report as JSON."`
	Servers serverFlags
	State   string `name:"state" env:"NBDUET_STATE" placeholder:"FILE" help:"As for start: the database whose folder is tried."`
}

// errUnwell sets the exit status after everything has been printed.
var errUnwell = errors.New("a check failed")

// examine runs nbduet doctor.
func examine(ctx context.Context, f doctorFlags, args []string, at surroundings) error {
	if len(args) > 0 {
		return options.UsageError{Err: fmt.Errorf("unexpected argument %s", args[0])}
	}
	set := settings{serverTimeout: session.DefaultServerTimeout}
	var err error
	if set.servers, err = f.Servers.check(); err != nil {
		return options.UsageError{Err: err}
	}
	local := &remembered{find: at.find}
	if local.find == nil {
		local.find = discoverLocal(set.servers.roots)
	}
	quiet := slog.New(slog.DiscardHandler)
	docs, kernels, err := connectServers(ctx, set, local.search, quiet)
	if err != nil {
		return err
	}
	defer docs.CloseIdleConnections()
	defer kernels.CloseIdleConnections()
	c := console.New(at.out)
	tell := func(check doctor.Check) { doctor.Print(c, check) }
	if f.JSON {
		tell = func(doctor.Check) {}
	}
	report := doctor.Examine(ctx, doctor.Patient{
		Version: thisBuild().String(), Documents: docs, Runtime: kernels, Log: quiet,
		Root: local.root, State: f.stateFolder, Clients: installed,
	}, tell)
	if f.JSON {
		e := json.NewEncoder(at.out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	}
	if !report.OK {
		return errUnwell
	}
	return nil
}

// stateFolder returns the folder of the database.
func (f doctorFlags) stateFolder() (string, error) {
	switch named := strings.TrimSpace(f.State); named {
	case "":
		return userdirs.Here().State()
	case activity.Memory:
		return os.TempDir(), nil
	default:
		return filepath.Abs(filepath.Dir(named))
	}
}

// installed lists the AI clients on this machine for a report.
func installed() ([]doctor.Client, error) {
	m, err := clientMachine()
	if err != nil {
		return nil, err
	}
	all, err := clients.List(m)
	if err != nil {
		return nil, err
	}
	here := lo.FilterMap(all, func(c clients.Installed, _ int) (doctor.Client, bool) {
		return doctor.Client{Name: c.Name, Title: c.Title, Configured: c.Configured, Problem: c.Problem}, c.Present || c.Configured
	})
	return here, nil
}

// remembered is a search for servers that keeps its last result.
type remembered struct {
	find discover
	last []jupyter.Running
}

func (r *remembered) search(ctx context.Context) (found []jupyter.Running, err error) {
	r.last, err = r.find(ctx)
	return r.last, err
}

// root returns the folder that the server at an address serves, or "" if the server is not on this machine.
func (r *remembered) root(ctx context.Context, address string) string {
	if r.last == nil {
		_, _ = r.search(ctx) // a named server may run elsewhere
	}
	for _, s := range r.last {
		if jupyter.SameServer(s.URL, address) {
			return s.Root
		}
	}
	return ""
}
