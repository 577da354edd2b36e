// Command stress runs tests repeatedly, in another order each time, and prints how often each of them failed:
//
//	stress [-count 3] [-cpu 1,2,4] [-keep folder] packages…
//
// The packages are run by `go test -race -shuffle=on` with the present GOFLAGS. The output of go test stays in the folder
// of -keep. `go test -shuffle=SEED` with the seed of a failure repeats its order.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/nbduet/nbduet/e2e/gotest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(1)
	}
}

func run() error {
	count := flag.Int("count", 3, "how often each test is run with each number of -cpu")
	cpu := flag.String("cpu", "1,2,4", "the numbers of threads, see go help testflag")
	keep := flag.String("keep", "", "a folder for what go test prints")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("name the packages to test")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	packages, err := list(ctx, flag.Args())
	if err != nil {
		return err
	}
	l := gotest.NewLog()
	for _, pkg := range packages {
		if err := test(ctx, l, *keep, "-count="+strconv.Itoa(*count), "-cpu="+*cpu, pkg); err != nil {
			return err
		}
	}
	report(os.Stdout, l)
	if len(l.Failures) > 0 {
		return fmt.Errorf("%d failures", len(l.Failures))
	}
	return nil
}

// list returns the packages that have tests.
func list(ctx context.Context, patterns []string) ([]string, error) {
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-f", format}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	return lines(out), nil
}

// test runs the tests of a package in one process and adds their results.
func test(ctx context.Context, l *gotest.Log, keep string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-race", "-vet=off", "-shuffle=on", "-timeout=60m"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	var from io.Reader = pipe
	pkg := args[len(args)-1]
	if keep != "" {
		f, err := kept(keep, pkg)
		if err != nil {
			return err
		}
		defer f.Close()
		from = io.TeeReader(pipe, f)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	before := len(l.Failures)
	if err := l.Read(from); err != nil {
		return errors.Join(err, cmd.Wait())
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && len(l.Failures) == before {
		return fmt.Errorf("go test %s: %w, and no test of it failed", pkg, err)
	}
	word := "ok"
	if n := len(l.Failures) - before; n > 0 {
		word = fmt.Sprintf("%d failures", n)
	}
	fmt.Printf("%-14s %s\n", word, pkg)
	return nil
}

// kept creates the file for a package's go test output.
func kept(folder, pkg string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of -keep: %w", err)
	}
	f, err := os.Create(filepath.Join(folder, fileName(pkg)))
	if err != nil {
		return nil, fmt.Errorf("keep what go test prints: %w", err)
	}
	return f, nil
}
