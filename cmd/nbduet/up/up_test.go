package up_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/up"
)

// A mistake in the arguments starts nothing.
func TestMistakes(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	file := filepath.Join(m.dir, "file.csv")
	must.NoError(t, os.WriteFile(file, nil, 0o600))
	m.fails(m.up(up.Up{}, filepath.Join(m.dir, "nothing")), true, "no such folder or notebook", "nothing")
	m.fails(m.up(up.Up{}, file), true, "file.csv is neither a folder nor a notebook")
	m.fails(m.up(up.Up{}, m.folder, m.dir), true, "2 folders")
	m.fails(m.up(up.Up{Port: 70000}), true, "--port: 70000")
	m.env["JUPYTER_TOKEN"] = "two words"
	m.fails(m.up(up.Up{}), true, "JUPYTER_TOKEN", "space")
	if m.records("servers") != nil {
		t.Error("a server was started")
	}
}

// The first command starts the server, waits, and ends it. A second one meanwhile finds the server, and does not end it.
func TestServer(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	m.env["JUPYTER_TOKEN"] = `a'b"$(id);&|$HOME*`
	first := m.up(up.Up{NoBrowser: true})
	m.serving(first)
	want := regexp.MustCompile(`^✓ JupyterLab runs for ` + m.folder + `

  http://127\.0\.0\.1:\d+/lab
  Its token is in ` + filepath.Join(m.dir, "runtime", "jpserver-") + `\d+\.json

Once for each AI client, in another terminal:

  claude mcp add nbduet
  code --add-mcp nbduet

Built from source\.

Ctrl-C stops it and its kernels\.
$`)
	if !want.MatchString(first.out.String()) {
		t.Errorf("it wrote %s", first.out)
	}
	link := filepath.Join(m.dir, "link")
	must.NoError(t, os.Symlink(m.folder, link))
	second := m.up(up.Up{}, link)
	<-second.ended
	if want := strings.NewReplacer("JupyterLab runs for", "JupyterLab already runs for", ", in another terminal", "").Replace(first.out.String()); second.err != nil || second.out.String()+"\nCtrl-C stops it and its kernels.\n" != want {
		t.Errorf("the second ended with %v, and wrote %s", second.err, second.out)
	}
	if err := first.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if !strings.HasSuffix(first.errs.String(), "✓ ended\n") {
		t.Errorf("at the end it said %s", first.errs)
	}
	m.nothingRuns()
	started := m.records("servers")
	if len(started) != 1 {
		t.Fatalf("started were %q", started)
	}
	before, args, _ := strings.Cut(started[0], ": ")
	if before != filepath.Join(m.dir, "bin", "python3")+" in "+m.folder+" with "+m.env["JUPYTER_TOKEN"] {
		t.Errorf("the server was %s", before)
	}
	test.StrNotContains(t, args, "$(id)")
	test.StrContains(t, args, "--ServerApp.root_dir="+m.folder)
	test.StrContains(t, args, "--ServerApp.ip=127.0.0.1")
	test.StrContains(t, args, "--ServerApp.open_browser=False")
	root := os.Geteuid() == 0
	test.Eq(t, strings.Contains(args, "--allow-root"), root)
	test.Eq(t, strings.Contains(first.errs.String(), "running as root"), root)
	logs, err := filepath.Glob(filepath.Join(m.dir, "state", "up-*.log"))
	must.NoError(t, err)
	if len(logs) != 1 {
		t.Fatalf("the logs are %q", logs)
	}
	info, err := os.Stat(logs[0])
	must.NoError(t, err)
	test.Eq(t, 0o600, info.Mode().Perm())
}

// The browser and the printed address lead to the named notebook. Without a client to connect, up prints how to connect one.
func TestNotebook(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	m.lines = nil
	notebook := filepath.Join(m.folder, "a b#.ipynb")
	must.NoError(t, os.WriteFile(notebook, nil, 0o600))
	r := m.up(up.Up{NoBrowser: true}, notebook)
	m.serving(r)
	for _, want := range []string{"/lab/tree/a%20b%23.ipynb\n", "an AI client, in another terminal:\n\n  '/x y/nbduet' config --list\n  '/x y/nbduet' config CLIENT --write\n"} {
		if !strings.Contains(r.out.String(), want) {
			t.Errorf("it wrote %s, without %q", r.out, want)
		}
	}
	started := m.records("servers")
	must.SliceLen(t, 1, started)
	test.StrContains(t, started[0], "--ServerApp.root_dir="+m.folder+" ")
	extensions := filepath.Join(m.dir, "data", "labextensions", "1.2.3")
	test.StrContains(t, started[0], "--LabApp.extra_labextensions_path="+extensions+" ")
	test.FileExists(t, filepath.Join(extensions, "nbduet-jupyter", "package.json"))
	test.False(t, !strings.HasSuffix(started[0], "--ServerApp.file_to_run="+notebook) && !strings.Contains(started[0], "--ServerApp.file_to_run="+notebook+" "))
	must.NoError(t, r.end())
}

// Two commands at once start one server.
func TestTwoInOneFolder(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	both := []*run{m.up(up.Up{}), m.up(up.Up{})}
	var waits, found *run
	select {
	case <-both[0].ended:
		found, waits = both[0], both[1]
	case <-both[1].ended:
		waits, found = both[0], both[1]
	}
	m.serving(waits)
	must.NoError(t, found.err)
	test.StrContains(t, found.out.String(), "already runs")
	test.StrContains(t, found.errs.String(), "waiting for it")
	must.NoError(t, waits.end())
	if all := m.records("servers"); len(all) != 1 {
		t.Errorf("started were %q", all)
	}
}

// Two commands in different folders install once.
func TestTwoFolders(t *testing.T) {
	m := newMachine(t)
	m.has("python3", usual)
	both := []*run{m.up(up.Up{}), m.up(up.Up{}, m.dir)}
	for _, r := range both {
		m.serving(r)
	}
	if all := m.records("installs"); len(all) != 2 { // the environment, and its packages
		t.Errorf("installed was %q", all)
	}
	if all := m.records("servers"); len(all) != 2 {
		t.Errorf("started were %q", all)
	}
	for _, r := range both {
		must.NoError(t, r.end())
	}
	m.nothingRuns()
}

func TestServerDies(t *testing.T) {
	m := newMachine(t)
	dying := complete
	dying.Server = "dies"
	m.has("python3", dying)
	r := m.up(up.Up{})
	m.fails(r, false, "it has ended (exit status 1)", "state/up-", "Bad config encountered", "lab?token=...")
	m.nothingRuns()
}

// A person may shut the server down from its menu.
func TestServerIsShutDown(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	r := m.up(up.Up{})
	m.serving(r)
	must.NoError(t, os.WriteFile(filepath.Join(m.folder, "shut-down"), nil, 0o600))
	<-r.ended
	must.NoError(t, r.err)
	test.StrContains(t, r.errs.String(), "JupyterLab has ended")
}

func TestServerWithoutCollaboration(t *testing.T) {
	m := newMachine(t)
	alone := complete
	alone.Server = "alone"
	m.has("python3", alone)
	m.fails(m.up(up.Up{}), false, "real-time collaboration is turned off", "--own")
	m.nothingRuns()
}

func TestPort(t *testing.T) {
	m := newMachine(t)
	m.has("python3", complete)
	first := m.up(up.Up{})
	m.serving(first)
	port := regexp.MustCompile(`:(\d+)/lab`).FindStringSubmatch(first.out.String())[1]
	m.fails(m.up(up.Up{Port: number(t, port)}, m.dir), true, "--port: "+port+" is not free")
	must.NoError(t, first.end())
}
