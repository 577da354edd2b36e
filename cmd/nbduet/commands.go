package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/clients"
	"github.com/nbduet/nbduet/cmd/nbduet/folders"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/skill"
	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// surroundings are what a command has to do with.
type surroundings struct{ out, errs io.Writer }

// A command is what the program does where its first argument names it.
type command struct {
	name, args string
	what       []string // lines
	set        *pflag.FlagSet
	help       *bool
	run        func(context.Context, []string, surroundings) error
}

// commands are those with flags of their own; start and health have the server's.
func commands() []command {
	return []command{
		newCommand("up", "[FOLDER]", []string{"Start JupyterLab for a folder, or this one, with", "collaboration and its own token, and say how", "each AI client is told of it. Where there is no", "Jupyter, it is installed first."}, bringUp),
		newCommand("config", "[CLIENT]", []string{"Print how an AI client is told of nbduet, or", "write that where the client reads it."}, configure),
		newCommand("skill", "[FOLDER]", []string{"Print what an agent should know of working", "beside people, as a skill, or put it where", "clients look for skills."}, showSkill),
	}
}

// newCommand makes a command whose flags are the fields of an F.
func newCommand[F any](name, args string, what []string, run func(context.Context, F, []string, surroundings) error) command {
	var f struct {
		Flags F
		Help  bool `name:"help" short:"h" help:"Print this help and exit."`
	}
	return command{name, args, what, options.New(&f), &f.Help, func(ctx context.Context, args []string, to surroundings) error {
		return run(ctx, f.Flags, args, to)
	}}
}

// named is the command that the first argument names.
func named(args []string) (c command, found bool) {
	if len(args) > 0 {
		for _, c := range commands() {
			if c.name == args[0] {
				return c, true
			}
		}
	}
	return command{}, false
}

// do carries out a command with the arguments behind its name.
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

// list is how the program's help has commands.
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
	return f.Run(args, skill.Machine{Env: os.Getenv, Home: os.UserHomeDir}, at.out)
}

func bringUp(ctx context.Context, f up.Up, args []string, at surroundings) error {
	clientsHere, err := clientMachine()
	if err != nil {
		return err
	}
	state, err := folders.Here().State()
	if err != nil {
		return err
	}
	m := up.Machine{Data: clientsHere.Data, State: state, Env: os.Getenv, Lines: func() []string { return clients.Lines(clientsHere) }}
	return f.Run(ctx, args, m, at.out, at.errs)
}

func configure(_ context.Context, f clients.Config, args []string, at surroundings) error {
	m, err := clientMachine()
	if err != nil {
		return err
	}
	return f.Run(args, m, at.out, at.errs)
}

// clientMachine is this machine, as package clients asks for it.
func clientMachine() (clients.Machine, error) {
	program, err := os.Executable()
	if err != nil {
		return clients.Machine{}, fmt.Errorf("find this program: %w", err)
	}
	data, err := folders.Here().Data()
	if err != nil {
		return clients.Machine{}, err
	}
	home, _ := os.UserHomeDir() // whoever needs it says that it is missing
	return clients.Machine{GOOS: runtime.GOOS, Env: os.Getenv, Home: home, Program: program, Data: data, Look: exec.LookPath}, nil
}
