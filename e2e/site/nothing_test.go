package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
)

// firstEdit is the time limit from nothing to the first edit that a person sees.
const firstEdit = 2 * time.Minute

// TestFromNothing is a person's first day: a machine with a Python, nbduet and an AI client, and no Jupyter. One command
// starts a JupyterLab, its output configures a client with nbduet, and the client writes a cell that appears in a tab.
func TestFromNothing(t *testing.T) {
	n := newcomer(t)
	began := time.Now()
	up := n.start("up", n.folder, "--no-browser")
	n.says(up, "Ctrl-C stops it")
	server := time.Since(began)
	a := n.client(up, n.program())
	p := n.visits(n.address(up))
	n.opens(a, p)
	n.shares(a, p, "first.ipynb")
	took := time.Since(began)
	t.Logf("from nothing to a server: %.1f s, to a shared edit in a tab: %.1f s", server.Seconds(), took.Seconds())
	if took > firstEdit {
		t.Errorf("it took %s to the first shared edit", took)
	}
	p.Shoot("shared")
	n.answers(a, p)
	p.Shoot("typed")

	if said, code := n.run("doctor"); code != 0 || strings.Contains(said, "✗") {
		t.Errorf("doctor ended with %d, and said %s", code, said)
	}
	second, code := n.run("up", n.folder, "--no-browser")
	test.Eq(t, 0, code)
	test.StrContains(t, second, "already runs")
	test.StrContains(t, second, n.url(up))
	test.StrNotContains(t, second, "config cursor")
	n.skill()

	must.NoError(t, a.Close())
	must.NoError(t, up.Signal(os.Interrupt))
	code, err := up.Wait(time.Minute)
	must.NoError(t, err)
	test.Eq(t, 0, code)
	if left := n.running(); len(left) > 0 {
		t.Errorf("there still run %v", left)
	}
	for _, kind := range []string{"jpserver-*", "kernel-*"} {
		left, err := filepath.Glob(filepath.Join(n.home, ".local", "share", "jupyter", "runtime", kind))
		must.NoError(t, err)
		test.LessEq(t, 0, len(left))
	}
}

// somebody is a new user.
type somebody struct {
	t      *testing.T
	home   string
	folder string
	env    []string
}

// newcomer returns a new user with an empty home, except for Cursor's folder. The home is not in a temporary folder:
// doctor warns that a program there will not stay.
func newcomer(t *testing.T) *somebody {
	t.Helper()
	cache, err := os.UserCacheDir()
	must.NoError(t, err)
	must.NoError(t, os.MkdirAll(cache, 0o700))
	home, err := os.MkdirTemp(cache, "nbduet-newcomer-") //nolint:usetesting // its folder is for temporary files
	must.NoError(t, err)
	t.Cleanup(func() { must.NoError(t, os.RemoveAll(home)) })
	home, err = filepath.EvalSymlinks(home)
	must.NoError(t, err)
	n := &somebody{t: t, home: home, folder: filepath.Join(home, "dir with spaces and ümlaut")}
	for _, dir := range []string{"bin", ".cursor", ".jupyter", "run"} {
		must.NoError(t, os.Mkdir(filepath.Join(home, dir), 0o700))
	}
	must.NoError(t, os.Mkdir(n.folder, 0o700))
	nbduet := kit.Binary(t)
	text, err := os.ReadFile(nbduet)
	must.NoError(t, err)
	must.NoError(t, os.WriteFile(n.program(), text, 0o700)) //nolint:gosec // it has to be executable
	must.NoError(t, os.Symlink(basePython(t), filepath.Join(home, "bin", "python3")))
	// With this setting, which any user may have, the test can look into the page.
	must.NoError(t, os.WriteFile(filepath.Join(home, ".jupyter", "jupyter_lab_config.json"), []byte(`{"LabApp": {"expose_app_in_browser": true}}`), 0o600))
	n.env = append(lab.CleanEnv(), "HOME="+home, "PATH="+filepath.Join(home, "bin"), "DISPLAY=", "WAYLAND_DISPLAY=",
		"XDG_RUNTIME_DIR="+filepath.Join(home, "run"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_DATA_HOME="+filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME="+filepath.Join(home, ".local", "state"))
	return n
}

// basePython returns the Python that the tests' environment was made from: it has no Jupyter packages.
func basePython(t *testing.T) string {
	t.Helper()
	program, err := lab.Program()
	must.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(program), "python"), "-c", "import sys; print(sys._base_executable)").Output()
	must.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func (n *somebody) program() string { return filepath.Join(n.home, "bin", "nbduet") }

// start starts nbduet and ends it with the test.
func (n *somebody) start(args ...string) *agent.Process {
	n.t.Helper()
	return n.startOther(n.program(), args...)
}

// startOther starts another program and ends it with the test.
func (n *somebody) startOther(program string, args ...string) *agent.Process {
	n.t.Helper()
	p, err := agent.Spawn(agent.Options{Binary: program, Args: args, Env: n.env, Words: true})
	must.NoError(n.t, err)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, p.Stdout) // the process keeps its output
	}()
	n.t.Cleanup(func() {
		p.Kill()
		<-read
	})
	return p
}

// run runs nbduet to its end and returns its output.
func (n *somebody) run(args ...string) (said string, code int) {
	n.t.Helper()
	p := n.start(args...)
	code, err := p.Wait(poll.Patience)
	must.NoError(n.t, err)
	return string(p.Output()) + p.Log(), code
}

// says waits until a process has printed words.
func (n *somebody) says(p *agent.Process, words string) {
	n.t.Helper()
	must.NoError(n.t, poll.Until(n.t.Context(), "up to say "+words, func(context.Context) error {
		select {
		case <-p.Exited():
			n.t.Fatalf("up has ended, and said %s%s", p.Output(), p.Log())
		default:
		}
		if !strings.Contains(string(p.Output()), words) {
			return fmt.Errorf("it said %s%s", p.Output(), p.Log())
		}
		return nil
	}))
}

// client runs the command that up prints for Cursor, and starts nbduet as Cursor then does; this must be the program.
func (n *somebody) client(up *agent.Process, program string) *agent.Agent {
	n.t.Helper()
	line := regexp.MustCompile(`(?m)^  (\S.* config cursor --write)$`).FindSubmatch(up.Output())
	if line == nil {
		n.t.Fatalf("up said %s", up.Output())
	}
	cmd := exec.CommandContext(n.t.Context(), "/bin/sh", "-c", string(line[1]))
	cmd.Env = n.env
	if said, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("config: %v, and said %s", err, said)
	}
	text, err := os.ReadFile(filepath.Join(n.home, ".cursor", "mcp.json"))
	must.NoError(n.t, err)
	var file struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	must.NoError(n.t, json.Unmarshal(text, &file))
	entry := file.Servers["nbduet"]
	must.MapLen(n.t, 1, file.Servers, must.Sprint(text))
	must.Eq(n.t, program, entry.Command, must.Sprint(text))
	env := n.env
	for name, value := range entry.Env {
		env = append(env, name+"="+value)
	}
	a, err := agent.Start(n.t.Context(), agent.Options{Binary: entry.Command, Args: entry.Args, Env: env, Words: true})
	must.NoError(n.t, err)
	n.t.Cleanup(a.Kill)
	return a
}

var upAddress = regexp.MustCompile(`(?m)^  (http://127\.0\.0\.1:\d+/lab\S*)$`)

// url returns the address of the server, which up prints if its output is not a terminal.
func (n *somebody) url(up *agent.Process) string {
	n.t.Helper()
	m := upAddress.FindSubmatch(up.Output())
	if m == nil {
		n.t.Fatalf("up said %s", up.Output())
	}
	return string(m[1])
}

// address returns the same with the token, from the place that up names.
func (n *somebody) address(up *agent.Process) string {
	n.t.Helper()
	url := n.url(up)
	m := regexp.MustCompile(`(?m)token.* in (/.*\.json)`).FindSubmatch(up.Output())
	if m == nil {
		n.t.Fatalf("up said %s", up.Output())
	}
	text, err := os.ReadFile(string(m[1]))
	must.NoError(n.t, err)
	var server struct {
		Token string `json:"token"`
	}
	must.NoError(n.t, json.Unmarshal(text, &server))
	return url + "?token=" + server.Token
}

// visits opens the address in a tab.
func (n *somebody) visits(address string) *kit.Person {
	t := n.t
	t.Helper()
	p := kit.OpenTab(t)
	where, err := json.Marshal(address)
	must.NoError(t, err)
	_, err = browser.Eval[string](t.Context(), p.Tab, fmt.Sprintf("location.href = %s", where))
	must.NoError(t, err)
	must.NoError(t, p.WaitVisible(t.Context(), ".jp-DirListing-content"))
	return p
}

// opens lets the client make a notebook, and the person open it from the list of files.
func (n *somebody) opens(a *agent.Agent, p *kit.Person) {
	t := n.t
	t.Helper()
	n.asks(a, "create_document", map[string]any{"path": "first.ipynb"})
	must.NoError(t, p.Click(t.Context(), `.jp-DirListing-item[title*="first.ipynb"]`))
	must.NoError(t, p.Press(t.Context(), kb.Enter))
}

// shares lets the client write a cell into the open notebook and run it, which the person sees.
func (n *somebody) shares(a *agent.Agent, p *kit.Person, path string) {
	t := n.t
	t.Helper()
	must.NoError(t, p.WaitKernel(t.Context()))
	const source = "print(6 * 7)"
	if said := n.asks(a, "insert_nb_cells", kit.Insert(path, 0, true, source)); !strings.Contains(said, "42") {
		t.Errorf("the run of a cell answered %s", said)
	}
	must.NoError(t, p.WaitView(t.Context(), "the cell and its output", func(cells []browser.ViewCell) error {
		if len(cells) == 0 || cells[0].Source != source || len(cells[0].Outputs) != 1 || strings.TrimSpace(cells[0].Outputs[0].Text) != "42" {
			return fmt.Errorf("there are %+v", cells)
		}
		return nil
	}))
}

// answers lets the person type, which the client reads.
func (n *somebody) answers(a *agent.Agent, p *kit.Person) {
	t := n.t
	t.Helper()
	const words = "  # who asks?"
	must.NoError(t, p.EditCell(t.Context(), 0))
	must.NoError(t, p.Type(t.Context(), words))
	must.NoError(t, poll.Until(t.Context(), "the client to read what the person types", func(context.Context) error {
		if said := n.asks(a, "read_nb_cells", map[string]any{"path": "first.ipynb"}); !strings.Contains(said, "print(6 * 7)"+words) {
			return fmt.Errorf("it read %s", said)
		}
		return nil
	}))
}

// asks calls a tool.
func (n *somebody) asks(a *agent.Agent, tool string, args map[string]any) string {
	n.t.Helper()
	answer, err := a.Call(n.t.Context(), tool, args)
	must.NoError(n.t, err)
	if answer.IsError {
		n.t.Fatalf("%s answered %s", tool, answer.Text)
	}
	return answer.Text
}

// skill installs the skill for the installed clients only.
func (n *somebody) skill() {
	n.t.Helper()
	if said, code := n.run("skill", "--write"); code != 0 {
		n.t.Errorf("skill ended with %d, and said %s", code, said)
	}
	for dir, want := range map[string]int{".claude": 0, ".agents": 1} {
		files, err := filepath.Glob(filepath.Join(n.home, dir, "skills", "*", "SKILL.md"))
		must.NoError(n.t, err, must.Sprint(dir))
		test.SliceLen(n.t, want, files, test.Sprint(dir))
	}
}

// running returns the processes with this home, by their ids.
func (n *somebody) running() map[int]string { return kit.Processes(n.t, n.home) }
