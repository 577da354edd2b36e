package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/cmd/nbduet/skill"
)

// streams are what a command writes to.
type streams struct{ out, errs io.Writer }

// A command is what the program does where its first argument names it.
type command struct {
	name, args string
	what       []string // lines
	set        *pflag.FlagSet
	help       *bool
	run        func(context.Context, []string, streams) error
}

// commands are those with flags of their own; start and health have the server's.
func commands() []command {
	return []command{
		newCommand("skill", "[FOLDER]", []string{"Print what an agent should know of working", "beside people, as a skill, or put it where", "clients look for skills."},
			func(_ context.Context, f skill.Flags, args []string, to streams) error {
				return f.Run(args, skill.Machine{Env: os.Getenv, Home: os.UserHomeDir}, to.out)
			}),
	}
}

// newCommand makes a command whose flags are the fields of an F.
func newCommand[F any](name, args string, what []string, run func(context.Context, F, []string, streams) error) command {
	var f struct {
		Flags F
		Help  bool `name:"help" short:"h" help:"Print this help and exit."`
	}
	return command{name, args, what, options.New(&f), &f.Help, func(ctx context.Context, args []string, to streams) error {
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
func (c command) do(ctx context.Context, args []string, to streams) error {
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
