// Package doctor finds out why work in notebooks together with people does not begin: it looks at the Jupyter server, its
// collaboration, its kernels and this machine, one thing after the other, in the way in which the program itself uses
// them. What is wrong, and what to do, are the sentences of package faults, as in the answers of tools.
package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

const (
	// lookFor bounds the whole examination, and tidyFor what is taken away after it: 30 s together.
	lookFor = 25 * time.Second
	tidyFor = 4 * time.Second
)

// A Result is how a check came out.
type Result string

// The results. Only Wrong makes the examination fail.
const (
	Fine    Result = "fine"
	Wrong   Result = "wrong"
	Note    Result = "note"     // neither
	LeftOut Result = "left_out" // because of what was found before
)

// A Check is one line of the examination.
type Check struct {
	Name   string `json:"check"`
	Result Result `json:"result"`
	// Says is what was found.
	Says string `json:"says"`
	// Fix is what to do about it, "" for nothing.
	Fix string `json:"fix,omitempty"`
	// Fault is the code of what is wrong, where it is one of the known faults.
	Fault faults.Code `json:"fault,omitempty"`
}

// A Report is the whole examination.
type Report struct {
	OK      bool    `json:"ok"`
	Version string  `json:"version"` // of nbduet
	Checks  []Check `json:"checks"`
}

// A Client is an AI client of this machine.
type Client struct {
	Name       string // for nbduet config
	Title      string
	Configured bool
	// Problem is what is wrong with its configuration, "" for nothing.
	Problem string
}

// A Patient is what is examined.
type Patient struct {
	Version string // of nbduet
	// Documents is the Jupyter server that has the notebooks, and Kernels the one that has the kernels: the same one, as a
	// rule.
	Documents, Runtime *jupyter.Server
	// Root returns the folder of this machine that the server at an address serves, "" for one that is not known. It is
	// asked once.
	Root func(ctx context.Context, address string) string
	// State is the state folder, or why there is no such folder.
	State func() (string, error)
	// Clients returns those of this machine.
	Clients func() ([]Client, error)
	Log     *slog.Logger // of what the program itself logs meanwhile
}

// Examine makes all checks, and tells each as soon as it is made. It takes 30 s at most, and leaves nothing behind.
func Examine(ctx context.Context, p Patient, tell func(Check)) Report {
	x := &examination{Patient: p, tell: tell, report: Report{OK: true, Version: p.Version}}
	looking, stop := context.WithTimeout(ctx, lookFor)
	defer stop()
	if findServer(looking, x) {
		readVersions(looking, x)
		compareClocks(looking, x)
		work(looking, x)
	} else {
		x.leaveOut("without a Jupyter server that takes requests", "versions", "clocks", "collaboration", "edit", "kernel")
	}
	tryState(x)
	lookAtClients(x)
	return x.report
}

// An examination is one that is going on.
type examination struct {
	Patient
	root   string // of the server that has the notebooks, as far as known
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

// wrong notes an error. One of the known faults says what to do.
func (x *examination) wrong(name string, err error) {
	if f, known := faults.Of(err); known {
		x.note(Check{Name: name, Result: Wrong, Says: f.Wrong, Fix: f.Fix, Fault: f.Code})
		return
	}
	x.note(Check{Name: name, Result: Wrong, Says: err.Error()})
}

func (x *examination) leaveOut(why string, names ...string) {
	for _, name := range names {
		x.note(Check{Name: name, Result: LeftOut, Says: "not looked at " + why})
	}
}
