// Command bench counts the tokens (o200k) of nbduet's answers, beside those of Datalayer's jupyter-mcp-server and beside
// the content itself, and prints a table.
//
// It starts one JupyterLab and both servers as an MCP client does, over stdio and with their default settings, and gives
// each its own copies of the same notebooks. All texts of an answer count; pictures and structured content do not. Notes
// under the table list the calls. A second table has the cost of a whole task, the demo's, with the list of tools and
// the arguments that the model writes.
//
// With -update, it also writes the comparison table of a page such as README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/nbduet/nbduet/e2e/cmd/bench/measure"
	"github.com/nbduet/nbduet/e2e/lab"
)

func main() {
	binary := flag.String("nbduet", "", "the nbduet to run; default is bin/nbduet of this repository")
	record := flag.String("answers", "", "a file to write the texts of all answers to")
	update := flag.String("update", "", "a page, such as README.md, whose comparison table to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *binary, *record, *update)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures, prints the tables, and writes the table of the page update, unless that is "". A nonempty record names a
// file for the texts of all answers.
func run(ctx context.Context, binary, record, update string) (err error) {
	if binary == "" {
		root, err := lab.RepoRoot()
		if err != nil {
			return err
		}
		binary = filepath.Join(root, "bin", "nbduet")
	}
	var to io.Writer
	if record != "" {
		file, failed := os.Create(record)
		if failed != nil {
			return fmt.Errorf("record the answers: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		to = file
	}
	result, err := measure.Run(ctx, binary, to)
	if err != nil {
		return err
	}
	fmt.Print(result)
	if update == "" {
		return nil
	}
	page, err := os.ReadFile(update)
	if err != nil {
		return fmt.Errorf("read the page to update: %w", err)
	}
	written, err := result.Comparison().WriteTo(string(page))
	if err != nil {
		return fmt.Errorf("update %s: %w", update, err)
	}
	if err := os.WriteFile(update, []byte(written), 0o644); err != nil { //nolint:gosec // a page of the repository
		return fmt.Errorf("write the updated page: %w", err)
	}
	return nil
}
