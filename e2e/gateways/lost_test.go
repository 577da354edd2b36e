package gateways

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
)

// says is in every answer while the gateway does not answer.
const says = "the gateway for the kernels of the Jupyter server"

// soon is how long a call may take to report the missing gateway.
const soon = 15 * time.Second

// refused calls a tool that needs the gateway and checks that it soon fails with that reason. The cell is not run.
func (c *client) refused(tool string, args map[string]any) {
	c.t.Helper()
	began := time.Now()
	answer, err := c.Call(c.t.Context(), tool, args)
	text := fmt.Sprint(err)
	if err == nil {
		text = answer.Text
		if r := c.resultOf(answer); !answer.IsError && r.State != "cancelled" {
			c.t.Errorf("%s: state %q", tool, r.State)
		}
	}
	c.blames(tool, text)
	if took := time.Since(began); took > soon {
		c.t.Errorf("%s took %s", tool, took)
	}
}

// blames checks that an answer names the gateway, not the Jupyter server.
func (c *client) blames(tool, text string) {
	c.t.Helper()
	has(c.t, tool, text, says)
	test.StrNotContains(c.t, text, "has been away", test.Sprint(tool))
	test.StrNotContains(c.t, text, "server went away", test.Sprint(tool))
}

// worksOn edits and reads the notebook, which does not need a gateway.
func (c *client) worksOn(path, text string) {
	c.t.Helper()
	began := time.Now()
	c.do("insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": text}}, "exec": false})
	has(c.t, "the notebook", c.do("read_nb_cells", map[string]any{"path": path}), text)
	if took := time.Since(began); took > soon {
		c.t.Errorf("an edit took %s", took)
	}
}

// started begins a call and returns a channel for its answer.
func (c *client) started(tool string, args map[string]any) <-chan string {
	answered := make(chan string, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		answer, err := c.Call(c.t.Context(), tool, args)
		if err != nil {
			answered <- err.Error()
			return
		}
		answered <- answer.Text
	})
	c.t.Cleanup(wg.Wait)
	return answered
}

// A run is lost with the gateway that runs its kernel, and its answer says so; the notebook stays usable. The next run
// after the gateway's return has a new kernel.
func TestGatewayLost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		for name, code := range map[string]string{
			"prints": "import time\nfor i in range(10000): print(i, flush=True); time.sleep(0.2)",
			"silent": "import time\nprint('asleep', flush=True)\ntime.sleep(600)",
		} {
			t.Run(name, func(t *testing.T) {
				g := newGateway(t, k)
				s := newSite(t, k, g.port)
				path := s.notebook("kept = 1", code, "'kept' in globals()")
				c := s.client(agent.Options{})
				c.runs(path, "c0")
				run := c.started("execute_nb_cells", cellArgs(path, "c1"))
				time.Sleep(time.Second) // it has begun
				g.end(syscall.SIGKILL)
				began := time.Now()
				c.worksOn(path, "# while it is lost")
				answer := <-run
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("the run was told lost after %s", took)
				}
				has(t, "the lost run", answer, `"state":"lost"`, "the kernels' gateway went away while this cell ran")
				c.blames("the lost run", answer)
				c.refused("execute_nb_cells", cellArgs(path, "c2"))
				c.refused("restart_nb_kernel", map[string]any{"path": path, "exec": false})
				c.refused("list_available_kernels", nil)
				c.refused("list_kernels", nil)
				c.refused("session_create", nil)
				c.worksOn(path, "# while it is still lost")
				g.start()
				has(t, "the next run", c.runs(path, "c2", "False").Text, "a new one", "earlier variables are gone")
			})
		}
	})
}

// A gateway that accepts requests without answering, as from a machine that hangs or is cut off, is reported like a
// missing one. When it answers again, its kernels are the same.
func TestGatewaySilent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		g := newGateway(t, k)
		s := newSite(t, k, g.port)
		path := s.notebook("kept = 1", "import time\ntime.sleep(5)", "'kept' in globals()")
		c := s.client(agent.Options{})
		c.runs(path, "c0")
		run := c.started("execute_nb_cells", cellArgs(path, "c1"))
		time.Sleep(time.Second) // it has begun
		must.NoError(t, g.cmd.Process.Signal(syscall.SIGSTOP))
		t.Cleanup(func() { _ = g.cmd.Process.Signal(syscall.SIGCONT) }) // it may have ended
		began := time.Now()
		c.worksOn(path, "# while it stands still")
		answer := <-run
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("the run was told lost after %s", took)
		}
		has(t, "the lost run", answer, `"state":"lost"`, "the kernels' gateway went away while this cell ran")
		c.blames("the lost run", answer)
		c.refused("execute_nb_cells", cellArgs(path, "c2"))
		c.refused("list_available_kernels", nil)
		c.refused("list_kernels", nil)
		c.refused("session_create", nil)
		c.worksOn(path, "# while it still stands still")
		late := s.client(agent.Options{}) // a client that starts in the meantime
		late.worksOn(path, "# of one who came")
		late.refused("execute_nb_cells", cellArgs(path, "c2"))
		must.NoError(t, g.cmd.Process.Signal(syscall.SIGCONT))
		c.runs(path, "c2", "True")
		late.runs(path, "c2", "True")
	})
}

// If a gateway is lost and returns while nothing runs, the next run has a new kernel at once, and its answer says so.
func TestGatewayBackUnseen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, k kind) {
		g := newGateway(t, k)
		s := newSite(t, k, g.port)
		path := s.notebook("kept = 1", "'kept' in globals()")
		c := s.client(agent.Options{})
		c.runs(path, "c0")
		g.end(syscall.SIGKILL)
		time.Sleep(12 * time.Second) // no calls in the meantime
		c.refused("execute_nb_cells", cellArgs(path, "c1"))
		g.start()
		has(t, "the next run", c.runs(path, "c1", "False").Text, "earlier variables are gone")
	})
}
