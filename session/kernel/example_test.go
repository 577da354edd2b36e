package kernel_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
)

// Code runs in a kernel; the handler gets its output, in order.
func Example() {
	if err := runCode(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// stdout: hello
	// result: 42
	// the reply: ok
}

func runCode(ctx context.Context) (err error) {
	running, err := jupytertest.SharedServer()
	if err != nil {
		return err
	}
	server, err := jupyter.New(jupyter.Options{URL: running.URL, Token: running.Token})
	if err != nil {
		return err
	}
	defer server.CloseIdleConnections()
	started, err := server.Kernels.Start(ctx, "python3", jupyter.Path{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Kernels.Shutdown(ctx, started.ID)) }()

	conn, err := kernel.Dial(ctx, server, started.ID, kernel.Options{})
	if err != nil {
		return err
	}
	defer conn.Close()
	reply, err := conn.Execute(ctx, kernel.Request{Code: "print('hello', end='')\n6 * 7"}, func(event kernel.Event) {
		switch e := event.(type) {
		case kernel.Stream:
			fmt.Printf("%s: %s\n", e.Name, e.Text)
		case kernel.Result:
			fmt.Println("result:", e.Data["text/plain"])
		}
	})
	if err != nil {
		return err
	}
	fmt.Println("the reply:", reply.Status)
	return nil
}
