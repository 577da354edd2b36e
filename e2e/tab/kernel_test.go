package tab_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// hang prints a line, writes its process id to a file, and does not end by itself.
const hang = `import os, time
print("half way", flush=True)
with open("%[1]s-pid-new", "w") as file:
    file.write(str(os.getpid()))
os.rename("%[1]s-pid-new", "%[1]s-pid")
while True:
    time.sleep(0.05)`

// execute returns the arguments of execute_nb_cells.
func execute(path string, indexes ...int) map[string]any {
	ranges := make([]map[string]any, len(indexes))
	for i, index := range indexes {
		ranges[i] = map[string]any{"start": index}
	}
	return map[string]any{"path": path, "ranges": ranges}
}

// The cells of the notebook of TestKernelsEnd.
const (
	keeps = iota
	hangs
	asks
)

// kernelTest is a notebook whose kernel ends, with a person and an agent.
type kernelTest struct {
	path   string
	tab    *person
	nbduet *agent.Agent
}

// A kernel dies, is restarted or is replaced while a cell runs: the cell keeps its output and does not stay busy
// forever, both use the new kernel, and the agent is informed.
func TestKernelsEnd(t *testing.T) {
	name := t.Name() + ".ipynb"
	k := &kernelTest{
		path: kit.NewNotebook(t, kit.Code("kept = 41"), kit.Code(fmt.Sprintf(hang, name)), kit.Code(`"kept" in globals()`)),
	}
	k.nbduet = kit.StartAgent(t)
	k.tab = open(t, k.path)
	_ = t.Run("killed", k.killed) &&
		t.Run("restarted", k.restarted) &&
		t.Run("exchanged", k.exchanged)
}

// ends waits for the end of a call that ran hang and whose kernel ended, and checks its answer; how is the fate of the
// kernel in the answer and the cell.
func (k *kernelTest) ends(t *testing.T, call *pending, how string) {
	t.Helper()
	results := call.results(t)
	last := results[len(results)-1]
	test.Eq(t, "lost", last.State)
	must.SliceLen(t, 2, last.Outputs)
	test.Eq(t, "half way\n", last.Outputs[0].Text)
	test.Eq(t, "["+how+"]\n", last.Outputs[1].Text)
	if !strings.Contains(call.executed.Message, "1 lost with the kernel") {
		t.Errorf("the answer's message is %q", call.executed.Message)
	}
	must.NoError(t, k.tab.WaitView(t.Context(), "the outputs so far", func(cells []browser.ViewCell) error {
		got := cells[hangs].Outputs
		if len(got) == 2 && strings.TrimSpace(got[0].Text) == "half way" && strings.Contains(got[1].Text, how) {
			return nil
		}
		return fmt.Errorf("%+v", cells[hangs])
	}))
	k.noneBusy(t)
}

// noneBusy waits until no cell in the tab shows as busy.
func (k *kernelTest) noneBusy(t *testing.T) {
	t.Helper()
	must.NoError(t, k.tab.WaitView(t.Context(), "no cell to be busy", func(cells []browser.ViewCell) error {
		for _, c := range cells {
			if c.Prompt == "[*]:" {
				return fmt.Errorf("%+v", cells)
			}
		}
		return nil
	}))
}

func (k *kernelTest) killed(t *testing.T) {
	ctx := t.Context()
	call := begin(t, k.nbduet, "execute_nb_cells", execute(k.path, keeps, hangs))
	k.tab.see(t, call, hangs, "[*]:", "half way")
	must.NoError(t, k.tab.run(ctx, asks))
	k.tab.see(t, call, asks, "[*]:", "")
	k.tab.Shoot("half-way")
	var pid int
	must.NoError(t, poll.Until(ctx, "the kernel's process", func(context.Context) error {
		text, err := os.ReadFile(kit.Jupyter(t).Path(k.path + "-pid"))
		if err == nil {
			pid, err = strconv.Atoi(string(text))
		}
		return errors.Join(err, ended(call.done))
	}))
	must.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	k.ends(t, call, "the kernel's process ended while this cell ran; its variables are gone")

	// JupyterLab reports it too, in a dialog.
	must.NoError(t, poll.Until(ctx, "JupyterLab to say that the kernel has died", func(ctx context.Context) error {
		text, err := k.tab.Dialog(ctx)
		if err == nil && !strings.Contains(text, "appears to have died") {
			err = fmt.Errorf("%q", text)
		}
		return err
	}))
	k.tab.Shoot("died")
	must.NoError(t, k.tab.Click(ctx, ".jp-Dialog .jp-mod-accept"))

	next := begin(t, k.nbduet, "execute_nb_cells", execute(k.path, asks))
	result := next.results(t)[0]
	test.Eq(t, "done", result.State)
	test.StrContains(t, result.Message, "the kernel's process ended and was restarted: the earlier variables are gone")
	must.SliceLen(t, 1, result.Outputs)
	test.EqOp[any](t, "False", result.Outputs[0].Data["text/plain"])
	k.tab.see(t, nil, asks, "[1]:", "False")
	must.NoError(t, k.tab.WaitKernel(ctx))
	k.tab.Shoot("works-again")
}

func (k *kernelTest) restarted(t *testing.T) {
	ctx := t.Context()
	call := begin(t, k.nbduet, "execute_nb_cells", execute(k.path, keeps, hangs))
	k.tab.see(t, call, hangs, "[*]:", "half way")
	// A person's cell waits for the kernel as well.
	must.NoError(t, k.tab.run(ctx, asks))
	k.tab.see(t, call, asks, "[*]:", "")
	k.tab.Shoot("both-wait")

	_, err := k.nbduet.Do(ctx, "restart_nb_kernel", map[string]any{"path": k.path, "exec": false}, nil)
	must.NoError(t, err)
	k.ends(t, call, "the kernel was restarted while this cell ran; its variables are gone")
	must.NoError(t, k.tab.WaitKernel(ctx))
	k.tab.Shoot("restarted")
	must.NoError(t, k.tab.run(ctx, asks))
	k.tab.see(t, nil, asks, "[1]:", "False")
	k.tab.Shoot("works-again")
}

func (k *kernelTest) exchanged(t *testing.T) {
	ctx := t.Context()
	// This time the lost cell is the person's own.
	must.NoError(t, k.tab.run(ctx, hangs))
	k.tab.see(t, nil, hangs, "[*]:", "half way")
	var answer struct {
		Assigned   bool   `json:"kernel_assigned"`
		KernelName string `json:"kernel_name"`
	}
	_, err := k.nbduet.Do(ctx, "assign_nb_kernel", map[string]any{"path": k.path, "kernel_name": "bash"}, &answer)
	must.NoError(t, err)
	test.True(t, answer.Assigned)
	test.Eq(t, "bash", answer.KernelName)
	k.noneBusy(t)
	k.tab.Shoot("assigned")

	// JupyterLab polls the server's sessions every ten seconds.
	soon, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	must.NoError(t, poll.Until(soon, "the toolbar to name the new kernel", func(ctx context.Context) error {
		name, err := k.tab.KernelName(ctx)
		if err == nil && name != "Bash" {
			err = fmt.Errorf("%q", name)
		}
		return err
	}))
	must.NoError(t, k.tab.WaitKernel(soon))
	k.noneBusy(t)

	kit.ReadCells(t, k.nbduet, k.path)
	_, err = k.nbduet.Do(ctx, "modify_nb_cells", modify(k.path, asks, `kept=$BASH; echo "$((6 * 7)) in ${BASH##*/}"`), nil)
	must.NoError(t, err)
	must.NoError(t, k.tab.run(ctx, asks))
	k.tab.see(t, nil, asks, "[1]:", "42 in bash")
	// The agent's cell sees a variable from the person's.
	var executed agent.Executed
	_, err = k.nbduet.Do(ctx, "insert_nb_cells", kit.Insert(k.path, asks+1, true, `echo "${kept##*/} is shared"`), &executed)
	must.NoError(t, err)
	got := executed.ExecutionResults[0].Outputs
	must.SliceLen(t, 1, got, must.Sprint(executed))
	test.Eq(t, "bash is shared\n", got[0].Text, test.Sprint(executed))
	k.tab.see(t, nil, asks+1, "[2]:", "bash is shared")
	must.NoError(t, poll.Until(ctx, "the file on disk to hold the output", func(context.Context) error {
		cells, err := kit.OnDisk(t, k.path)
		if err == nil && (len(cells) != asks+2 || len(cells[asks+1].Outputs) != 1) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
	k.tab.Shoot("bash")
}
