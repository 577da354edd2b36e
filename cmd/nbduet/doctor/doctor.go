// Package doctor finds out why an agent cannot work in notebooks together with people. It checks the Jupyter server, its
// collaboration, its kernels and this machine in turn, in the way the program itself uses them. Problems and fixes are the
// sentences of package faults, as in the answers of tools.
package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

const (
	// lookFor bounds the whole examination, and tidyFor the cleanup after it: 30 s together.
	lookFor = 25 * time.Second
	tidyFor = 4 * time.Second
)

// A Result is the outcome of a check.
type Result string

// The results. Only Wrong makes the examination fail.
const (
	Fine    Result = "fine"
	Wrong   Result = "wrong"
	Note    Result = "note"     // neither fine nor wrong
	LeftOut Result = "left_out" // because of an earlier result
)

// A Check is one line of the examination.
type Check struct {
	Name   string `json:"check"`
	Result Result `json:"result"`
	// Says is the finding.
	Says string `json:"says"`
	// Fix is the remedy, or "".
	Fix string `json:"fix,omitempty"`
	// Fault is the code of the fault, if it is a known one.
	Fault faults.Code `json:"fault,omitempty"`
}

// A Report is the whole examination.
type Report struct {
	OK      bool    `json:"ok"`
	Version string  `json:"version"` // of nbduet
	Checks  []Check `json:"checks"`
}

// A Client is an AI client on this machine.
type Client struct {
	Name       string // as in nbduet config
	Title      string
	Configured bool
	// Problem is the problem with its configuration, or "".
	Problem string
}

// A Patient is the setup to examine.
type Patient struct {
	Version string // of nbduet
	// Documents is the Jupyter server with the notebooks, and Runtime the one with the kernels: usually the same one.
	Documents, Runtime *jupyter.Server
	// Root returns the folder of this machine that the server at an address serves, or "" if it is unknown. It is called
	// once.
	Root func(ctx context.Context, address string) string
	// State returns the state folder, or an error that says why it is missing.
	State func() (string, error)
	// Clients returns the AI clients on this machine.
	Clients func() ([]Client, error)
	Log     *slog.Logger // for the program's own log lines meanwhile
}

// Examine makes all checks, and calls tell with each as soon as it is made. It takes 30 s at most, and removes everything
// that it created.
func Examine(ctx context.Context, p Patient, tell func(Check)) Report {
	x := &examination{Patient: p, tell: tell, report: Report{OK: true, Version: p.Version}}
	looking, stop := context.WithTimeout(ctx, lookFor)
	defer stop()
	if findServer(looking, x) {
		readVersions(looking, x)
		compareClocks(looking, x)
		work(looking, x)
	} else {
		x.leaveOut("without a usable Jupyter server", "versions", "clocks", "collaboration", "edit", "kernel")
	}
	tryState(x)
	lookAtClients(x)
	return x.report
}

// An examination is one in progress.
type examination struct {
	Patient
	root   string // of the document server, if known
	tell   func(Check)
	report Report
}

func (x *examination) note(c Check) {
	x.report.Checks = append(x.report.Checks, c)
	x.report.OK = x.report.OK && c.Result != Wrong
	x.tell(c)
}

func (x *examination) fine(name, format string, args ...any) {
	x.note(Check{Name: name, Result: Fine, Says: fmt.Sprintf(format, args...)})
}

// wrong records an error. A known fault includes its fix.
func (x *examination) wrong(name string, err error) {
	if f, known := faults.Of(err); known {
		x.note(Check{Name: name, Result: Wrong, Says: f.Wrong, Fix: f.Fix, Fault: f.Code})
		return
	}
	x.note(Check{Name: name, Result: Wrong, Says: err.Error()})
}

func (x *examination) leaveOut(why string, names ...string) {
	for _, name := range names {
		x.note(Check{Name: name, Result: LeftOut, Says: "not checked " + why})
	}
}

const (
	// nameWidth is the width of the longest name of a check.
	nameWidth = len("collaboration")
	// saysAt is the column of the finding, after a mark, a name and the spaces between.
	saysAt = 2 + nameWidth + 2
)

// Print writes a check for people.
func Print(c *console.Console, check Check) {
	line := fmt.Sprintf("%-*s  %s", nameWidth, check.Name, console.Folded(c, saysAt, check.Says))
	switch check.Result {
	case Fine:
		c.Good("%s", line)
	case Wrong:
		c.Bad("%s", line)
	default:
		c.Note("%s", line)
	}
	if check.Fix != "" {
		c.Line("  %-*s  → %s", nameWidth, "", console.Folded(c, saysAt+2, check.Fix))
	}
}
