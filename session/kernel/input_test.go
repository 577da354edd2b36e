package kernel

import (
	"errors"
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// Code that may request input gets its answers, in order, each to its own question; other code gets no question.
func TestInput(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		c := connect(t, srv, startKernel(t, srv))
		if err := c.Input(testContext(t), "x"); !errors.Is(err, ErrNoInput) {
			t.Errorf("Input without a question: %v, want ErrNoInput", err)
		}
		var r recorder
		answers := []string{"Ada", "pä ss"}
		_, err := c.Execute(testContext(t), Request{
			Code: "import getpass\na = input('Name? ')\nb = getpass.getpass('Key: ')\nprint(a, b)", AllowStdin: true,
		}, func(ev Event) {
			r.handle(ev)
			if _, ok := ev.(InputRequest); ok {
				if err := c.Input(testContext(t), answers[0]); err != nil {
					t.Error(err)
				}
				answers = answers[1:]
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`ask "Name? " false`, `ask "Key: " true`} {
			if !slices.Contains(r.all(), want) {
				t.Errorf("no event %s in %q", want, r.all())
			}
		}
		if got := r.text(); got != "Ada pä ss\n" {
			t.Errorf("printed %q", got)
		}
		if err := c.Input(testContext(t), "x"); !errors.Is(err, ErrNoInput) {
			t.Errorf("Input after the last question: %v, want ErrNoInput", err)
		}
		reply, err := c.Execute(testContext(t), Request{Code: "input()"}, nil)
		must.NoError(t, err, must.Sprint("input() where it is not allowed"))
		must.NotNil(t, reply.Error, must.Sprint("input() where it is not allowed"))
		test.Eq(t, "StdinNotImplementedError", reply.Error.Name, test.Sprint("input() where it is not allowed"))
	})
}

// A restart drops the question.
func TestInputForgottenByRestart(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		srv := serverOf(t, jupytertest.Shared(t))
		id := startKernel(t, srv)
		c := connect(t, srv, id)
		asked := make(chan struct{})
		out := make(chan error, 1)
		go func() {
			_, err := c.Execute(testContext(t), Request{Code: "input()", AllowStdin: true}, func(ev Event) {
				if _, ok := ev.(InputRequest); ok {
					close(asked)
				}
			})
			out <- err
		}()
		<-asked
		if _, err := srv.Kernels.Restart(testContext(t), id); err != nil {
			t.Fatal(err)
		}
		if err := await(t, "the asking code", out); !errors.Is(err, ErrKernelRestarted) {
			t.Errorf("the asking code ended with %v", err)
		}
		if err := c.Input(testContext(t), "x"); !errors.Is(err, ErrNoInput) {
			t.Errorf("Input after the restart: %v, want ErrNoInput", err)
		}
	})
}
