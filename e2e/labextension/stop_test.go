package labextension_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// forever prints a line and does not end by itself.
const forever = `import time
print("begun", flush=True)
while True:
    time.sleep(0.05)`

// Stop interrupts the agent's cell and refuses writes in every process until "Go on". A second press interrupts the kernel.
// Each is pressed once with the mouse and once with the keyboard.
func TestStop(t *testing.T) {
	for _, by := range []string{"mouse", "keyboard"} {
		t.Run(by, func(t *testing.T) {
			ctx := t.Context()
			path := kit.NewNotebook(t, kit.Code("n = 0"), kit.Code("n = 0"), kit.Code(forever), kit.Code("late = 1"))
			tab, other := open(t, path), open(t, path)
			press := tab.click
			if by == "keyboard" {
				press = tab.press
			}
			test.Eq(t, "", tab.text(stopButton), test.Sprint("without an agent"))
			claude, second := kit.StartAgent(t), kit.StartAgent(t)
			kit.ReadCells(t, claude, path)
			kit.ReadCells(t, second, path)
			write, others := writing(t, claude, path, "cell-0"), writing(t, second, path, "cell-1")
			tab.waitText(stopButton, "Stop")

			running := make(chan string, 1)
			go func() {
				answer, err := claude.Call(ctx, "execute_nb_cells", map[string]any{"path": path, "ranges": []map[string]any{{"start": 2, "end": 4}}, "timeout": 600})
				running <- fmt.Sprint(answer.Text, err)
			}()
			must.NoError(t, tab.WaitView(ctx, "the running cell", func(cells []browser.ViewCell) error {
				if len(cells[2].Outputs) == 0 || !strings.Contains(cells[2].Outputs[0].Text, "begun") {
					return errors.New("it has not begun")
				}
				return nil
			}))
			tab.Shoot("running")

			began := time.Now()
			press(stopButton)
			for refused := false; !refused; refused = others() != "" {
				must.Less(t, time.Minute, time.Since(began))
			}
			t.Logf("refused after %s", time.Since(began))
			answer := <-running
			t.Logf("interrupted after %s: %s", time.Since(began), answer)
			tab.waitText(stopButton, "Stopped")
			other.waitText(stopButton, "Stopped")
			tab.Shoot("stopped")
			for name, try := range map[string]func() string{"the first": write, "the second": others} {
				said := try()
				test.StrHasPrefix(t, "stopped_by", said, test.Sprint(name))
				test.StrContains(t, said, tab.name(), test.Sprint(name))
			}

			// The person's own cell is interrupted by the second press.
			must.NoError(t, tab.EditCell(ctx, 2))
			tab.run("notebook:run-cell")
			must.NoError(t, poll.Until(ctx, "the person's cell", func(context.Context) error {
				cells, err := tab.View(ctx)
				if err == nil && cells[2].Prompt != "[*]:" {
					err = errors.New(cells[2].Prompt)
				}
				return err
			}))
			press(stopButton)
			must.NoError(t, tab.WaitView(ctx, "the interrupted cell", func(cells []browser.ViewCell) error {
				if cells[2].Prompt == "[*]:" {
					return errors.New("it runs")
				}
				return nil
			}))

			press(goOnButton)
			tab.waitText(goOnButton, "")
			waitCall(t, "", write)
			tab.Shoot("went-on")
		})
	}
}

// A stop by one person is shown to others, who cannot lift it while that person is there. It stays when the tab is loaded
// again, and ends for others when its person has left.
func TestStopOfAnotherPerson(t *testing.T) {
	ctx := t.Context()
	path := kit.NewNotebook(t, kit.Code("n = 0"))
	ada, bob := open(t, path), open(t, path)
	claude := kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	write := writing(t, claude, path, "cell-0")
	ada.run("nbduet:stop")
	bob.waitText(goOnButton, "Go on")
	bob.click(goOnButton)
	bob.waitText(".Toastify__toast", "still kept out by "+ada.name())
	test.StrHasPrefix(t, "stopped_by", write())
	must.NoError(t, ada.Load(ctx, address(t, path)))
	ada.waitText(stopButton, "Stopped")
	ada.Close()
	must.NoError(t, poll.Until(ctx, "Go on", func(context.Context) error {
		if bob.text(goOnButton) != "" {
			bob.run("nbduet:go-on")
			return errors.New("still stopped")
		}
		return nil
	}))
	waitCall(t, "", write)
}

// Two people press Stop at once: each has a stop, and the agent goes on when both have let it.
func TestTwoPressStop(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code("n = 0"))
	ada, bob := open(t, path), open(t, path)
	claude := kit.StartAgent(t)
	kit.ReadCells(t, claude, path)
	write := writing(t, claude, path, "cell-0")
	for _, p := range []*person{ada, bob} {
		p.waitText(stopButton, "Stop")
	}
	pressed := make(chan error, 2)
	for _, p := range []*person{ada, bob} {
		go func() { pressed <- p.Click(t.Context(), stopButton) }()
	}
	must.NoError(t, <-pressed)
	must.NoError(t, <-pressed)
	waitCall(t, "stopped_by", write)
	for _, p := range []*person{ada, bob} {
		test.StrHasPrefix(t, "stopped_by", write())
		p.waitText(goOnButton, "Go on")
		p.click(goOnButton)
	}
	waitCall(t, "", write)
	ada.waitText(goOnButton, "")
}

// A killed agent leaves; Stop is then not shown, but "Go on" is as long as the stop stands.
func TestKilledAgent(t *testing.T) {
	path := kit.NewNotebook(t, kit.Code("n = 0"))
	tab := open(t, path)
	claude, err := agent.Start(t.Context(), agent.Options{Binary: kit.Binary(t), Env: kit.AgentEnv(t)})
	must.NoError(t, err)
	kit.ReadCells(t, claude, path)
	tab.waitText(stopButton, "Stop")
	tab.run("nbduet:stop")
	claude.Kill()
	tab.waitText(".nbduet-agent", "")
	tab.waitText(goOnButton, "Go on")
	tab.run("nbduet:go-on")
	tab.waitText(stopButton, "")
	tab.waitText(goOnButton, "")
}
