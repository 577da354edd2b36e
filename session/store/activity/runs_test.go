package activity

import (
	"context"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/run"
)

// asRunner names a database in which this program, started by a test, keeps a run and then waits for its end.
const asRunner = "NBDUET_TEST_RUNS"

var kept = run.Record{
	Run: "run-7", Number: 7, File: "f", Path: jupyter.MustPath("a é.ipynb"), Cell: "c0", Owner: "stdio", Client: 1<<63 + 5,
	Mark: kernel.Mark{Server: "http://h:1", Kernel: "k", Session: "s", Request: "s_1"},
}

// runner is the program as the child of a test.
func runner(path string) {
	s, err := Open(context.Background(), Options{Path: path})
	if err == nil {
		err = s.Runs().Keep(context.Background(), kept)
	}
	if err != nil {
		_, _ = os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("kept\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
	if err := s.Close(context.Background()); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func taken(t *testing.T, r *Runs) []run.Record {
	t.Helper()
	list, err := r.Take(t.Context(), kept.File)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The runs of a process are its own while it lives, and free for any process when it has ended, killed or not.
func TestRunsOfAnotherProcess(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd) error{
		"killed": func(cmd *exec.Cmd) error { return cmd.Process.Kill() },
		"ended":  func(*exec.Cmd) error { return nil }, // when its input ends
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), asRunner+"="+path)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := make([]byte, 100)
			n, err := out.Read(said)
			must.NoError(t, err)
			must.StrHasPrefix(t, "kept", string(said[:n]))
			here := store(t, Options{Path: path}).Runs()
			if list := taken(t, here); len(list) != 0 {
				t.Errorf("taken from a process that lives: %+v", list)
			}
			_, ok, err := here.Find(t.Context(), kept.Run)
			test.False(t, ok, test.Sprint("found"))
			test.NoError(t, err, test.Sprint("found"))
			last, err := here.Last(t.Context())
			must.NoError(t, err)
			test.Eq(t, 7, last)
			if err := end(cmd); err != nil {
				t.Fatal(err)
			}
			_ = in.Close()
			_ = cmd.Wait() // the error of a kill
			rec, ok, err := here.Find(t.Context(), kept.Run)
			must.True(t, ok, must.Sprint("found"))
			must.NoError(t, err, must.Sprint("found"))
			test.Eq(t, kept, rec, test.Sprint("found"))
			if list := taken(t, here); !reflect.DeepEqual(list, []run.Record{kept}) {
				t.Errorf("taken: %+v", list)
			}
			if list := taken(t, here); len(list) != 0 {
				t.Errorf("taken twice: %+v", list)
			}
			names, err := os.ReadDir(path + ".locks")
			must.NoError(t, err, must.Sprint("locks"))
			test.SliceEmpty(t, names, test.Sprint("locks"))
		})
	}
}

// Left runs may be taken by the same process, too; ended runs by none.
func TestRunsLeftAndDropped(t *testing.T) {
	for name, path := range map[string]string{"file": file(t), "memory": Memory} {
		t.Run(name, func(t *testing.T) {
			r := store(t, Options{Path: path}).Runs()
			other := kept
			other.Run, other.Number = "run-8", 8
			if err := r.Keep(t.Context(), kept, other); err != nil {
				t.Fatal(err)
			}
			if list := taken(t, r); len(list) != 0 {
				t.Errorf("taken: %+v", list)
			}
			if err := r.Drop(t.Context(), other.Run); err != nil {
				t.Fatal(err)
			}
			if err := r.Leave(t.Context(), kept.Run, other.Run); err != nil {
				t.Fatal(err)
			}
			if list := taken(t, r); !reflect.DeepEqual(list, []run.Record{kept}) {
				t.Errorf("taken: %+v", list)
			}
		})
	}
}
