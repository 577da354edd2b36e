package clients_test

import (
	"context"
	"crypto/tls"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/browser"
	"github.com/nbduet/nbduet/e2e/embedded"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// The program works inside a Jupyter server installed with pip, behind a base URL, with a password and a token.
func TestInsideJupyter(t *testing.T) {
	s := startSite(t, lab.Options{BaseURL: "/user/ada/", Args: []string{
		"--config=" + pageSettings(t),
		"--JupyterMCPServerExtensionApp.document_url=local", "--JupyterMCPServerExtensionApp.runtime_url=local",
		"--JupyterMCPServerExtensionApp.toolsets=all", "--JupyterMCPServerExtensionApp.args=--metrics",
		"--JupyterMCPServerExtensionApp.document_id=seen.ipynb", "--ServerApp.authorizer_class=nbduet_e2e.Refusing",
		`--ServerApp.jpserver_extensions={"jupyter_mcp_server": True}`, // beside the name that the wheel itself enables
	}})
	t.Run("wheel", s.wheel)
	t.Run("plain HTTP", s.plainHTTP)
	t.Run("pieces", s.pieces)
	t.Run("names", s.names)
	t.Run("who may not", s.mayNot)
	t.Run("who is refused", s.refuses)
	t.Run("WebSocket", s.sockets)
	t.Run("clients", s.clients)
	t.Run("Inspector", s.inspector)
	t.Run("tokens", s.tokens)
	t.Run("program that dies", s.startsAgain)
}

// wheel checks the installation: a program that needs nothing else of the machine, and an extension of the same version.
func (*site) wheel(t *testing.T) {
	in, err := installed()
	must.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), in.Python, "-c", `
import importlib.metadata, nbduet
for name in "nbduet", "nbduet-jupyter":
    found = importlib.metadata.distribution(name)
    print(name, found.version, found.metadata["License-Expression"], len([f for f in found.files if f.name == "LICENSE"]))
print(nbduet.find_nbduet_bin())
`).Output()
	must.NoError(t, err)
	if want := "nbduet 0.1.0 MIT 1\nnbduet-jupyter 0.1.0 MIT 1\n" + in.Program + "\n"; string(out) != want {
		t.Errorf("installed:\n%swant\n%s", out, want)
	}
	if !strings.HasSuffix(in.Wheel, "/nbduet_jupyter-"+embedded.Version+"-py3-none-any.whl") {
		t.Errorf("the extension's wheel is %s", in.Wheel)
	}
	said, err := exec.CommandContext(t.Context(), in.Program, "--version").Output()
	must.NoError(t, err)
	test.StrHasPrefix(t, "nbduet "+embedded.Version+" (", string(said))
	file, err := elf.Open(in.Program)
	must.NoError(t, err)
	defer file.Close()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the program is not static")
	}
}

// pageSettings returns a file with the settings of the extension's page, whose defaults the arguments replace.
func pageSettings(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "settings.py")
	must.NoError(t, os.WriteFile(file, []byte(pageBlock(t, "../../cmd/jupyter-extension/README.md", "## Configuration", "python")), 0o600))
	return file
}

// names checks that both of the extension's names are enabled, that it has each setting of its page, and that one program
// serves.
func (s *site) names(t *testing.T) {
	log := s.LogTail(1000)
	for _, name := range []string{"nbduet_jupyter", "jupyter_mcp_server"} {
		if !strings.Contains(log, name+" | extension was successfully loaded") {
			t.Errorf("%s is not loaded", name)
		}
	}
	test.StrNotContains(t, log, "not recognized by")
	if n := strings.Count(log, "started nbduet, process"); n != 1 {
		t.Errorf("%d programs were started", n)
	}
}

// plainHTTP checks the routes for programs without MCP.
func (s *site) plainHTTP(t *testing.T) {
	path := s.notebook("plain", kit.Markdown("# Plain"))
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/mcp/healthz", "", 200, `"healthy"`},
		{"GET", "/mcp/tools/list", "", 200, `"notebook_get"`}, // of the configured toolset
		{"GET", "/mcp/tools/list", "", 200, `"parameters":{`},
		{"GET", "/mcp/metrics", "", 200, "nbduet_"}, // of a further argument
		{"POST", "/mcp/tools/call", `{"tool_name":"list_nbs","arguments":{}}`, 200, path},
		{"POST", "/mcp/tools/call", `{"tool_name":"none","arguments":{}}`, 404, `"success":false`},
		{"POST", "/mcp/tools/call", "", 415, "application/json"},
		{"PATCH", "/mcp", "{}", 405, ""},
		{"GET", "/mcp/elsewhere", "", 404, "unknown path"},
		{"GET", "/mcp/healthz/../tools/list", "", 404, ""},
		{"POST", "/mcp", strings.Repeat(" ", 17<<20), 413, "longer than"},
	} {
		status, text, err := s.ask(c.method, c.path, c.body, nil)
		must.NoError(t, err)
		test.Eq(t, c.status, status)
		test.StrContains(t, text, c.says)
	}
}

// refuses checks that every route is behind Jupyter's authentication, and that cross-origin pages are refused.
func (s *site) refuses(t *testing.T) {
	own, err := url.Parse(s.URL)
	must.NoError(t, err)
	for name, c := range map[string]struct {
		change func(http.Header)
		status int
	}{
		"as it should be":   {func(http.Header) {}, 200},
		"a bearer":          {func(h http.Header) { h.Set("Authorization", "Bearer "+s.Token) }, 200},
		"no token":          {func(h http.Header) { h.Del("Authorization") }, 403},
		"a wrong token":     {func(h http.Header) { h.Set("Authorization", "token guess") }, 403},
		"an empty token":    {func(h http.Header) { h.Set("Authorization", "token ") }, 403},
		"the page itself":   {func(h http.Header) { h.Set("Origin", "http://"+own.Host) }, 200},
		"a foreign page":    {func(h http.Header) { h.Set("Origin", "https://evil.example") }, 403},
		"a page of no site": {func(h http.Header) { h.Set("Origin", "null") }, 403},
		"a rebound name":    {func(h http.Header) { h.Set("Host", "evil.example") }, 403},
		"another prefix":    {func(h http.Header) { h.Set("X-Forwarded-Prefix", "/evil") }, 200},
		"a websocket":       {func(h http.Header) { h.Set("Connection", "upgrade"); h.Set("Upgrade", "websocket") }, 400},
	} {
		for path, body := range map[string]string{"/mcp/healthz": "", "/mcp/tools/call": `{"tool_name":"list_nbs","arguments":{}}`} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			status, text, err := s.ask(method, path, body, func(r *http.Request) {
				c.change(r.Header)
				r.Host = r.Header.Get("Host")
			})
			want := c.status
			if name == "a websocket" && body != "" {
				continue // which uses GET
			}
			must.NoError(t, err, must.Sprint(name, method, path))
			test.Eq(t, want, status, test.Sprint(name, method, path))
			test.False(t, want >= 400 && !strings.HasPrefix(text, "{"), test.Sprint(name, method, path))
		}
	}
	status, _, err := s.ask(http.MethodGet, "/api/contents", "", func(r *http.Request) { r.Header.Set("Authorization", "token ") })
	must.NoError(t, err, must.Sprint("the server itself with an empty token"))
	test.Eq(t, 403, status, test.Sprint("the server itself with an empty token"))
}

// mayNot checks that a user without one of the program's permissions is refused.
func (s *site) mayNot(t *testing.T) {
	for what, want := range map[string]int{"": 200, "write contents": 403, "execute kernels": 403} {
		status, text, err := s.ask(http.MethodGet, "/mcp/healthz", "", func(r *http.Request) { r.Header.Set("X-May-Not", what) })
		must.NoError(t, err)
		test.Eq(t, want, status)
		test.False(t, want == 403 && !strings.Contains(text, what))
	}
}

// clients checks that clients of each kind work while a person looks on.
func (s *site) clients(t *testing.T) {
	path := s.notebook("seen", kit.Markdown("# What the clients write"))
	tab, err := kit.Chromium(t).OpenNotebook(t.Context(), s.PageURL("seen", path))
	must.NoError(t, err)
	t.Cleanup(tab.Close)
	for _, how := range []string{kit.ViaStream, kit.ViaModern, kit.ViaEvents} {
		t.Run("mcp-go, "+how, func(t *testing.T) {
			t.Parallel()
			c, err := kit.Dial(t.Context(), how, s.URL+"/mcp", s.URL+"/mcp/sse", s.sender)
			must.NoError(t, err)
			s.visits(t, c, tab)
			s.leaves(t, c, how == kit.ViaModern)
		})
	}
	for library, ways := range map[sdk.Kit][]way{
		sdk.TypeScript:  {{"/mcp", false, older}, {"/sse", false, older}, socketWay},
		sdk.TypeScript2: {{"/mcp", true, newest}, {"/sse", false, older}},
		sdk.Python:      {{"/mcp", false, older}, {"/mcp", true, newest}, {"/sse", false, older}},
	} {
		for _, way := range ways {
			t.Run(fmt.Sprintf("%s, %s, %s", library, way.transport, way.protocol), func(t *testing.T) {
				t.Parallel()
				opt := sdk.Options{Kit: library, Modern: way.modern, URL: s.URL + "/mcp", SSE: way.transport == "/sse", Headers: s.header}
				if opt.SSE {
					opt.URL += "/sse"
				}
				if way == socketWay {
					opt.URL = kit.SocketURL(s.URL + "/mcp/ws")
				}
				name := fmt.Sprintf("kit-%d-%s-%s", library, strings.ReplaceAll(way.transport[1:], "/", "-"), way.protocol)
				c, err := sdk.Start(t.Context(), opt)
				must.NoError(t, err)
				g := kitGuest{t: t, Client: c, way: way, path: s.notebook(name, kit.Code(fmt.Sprintf(kit.Gated, name)))}
				g.hello()
				if said := g.Hello().Instructions; !strings.Contains(said, "seen.ipynb") {
					t.Errorf("the notebook to begin with is not named: %s", said)
				}
				s.hearsProgress(t, c, name)
				g.stops()
				g.isRefused()
				guest := kit.NodeClient{Client: c, Ends: library != sdk.Python && way.transport == "/mcp" && !way.modern}
				s.visits(t, guest, tab)
				must.NoError(t, guest.Leave())
			})
		}
	}
}

// visits writes and runs a cell that the person in the tab sees.
func (s *site) visits(t *testing.T, c kit.MCPClient, tab *browser.Notebook) {
	t.Helper()
	var ran struct {
		Results []any `json:"execution_results"`
	}
	must.NoError(t, c.Do(t.Context(), "insert_nb_cells", kit.Insert("seen.ipynb", 1, true, fmt.Sprintf("print(%q.upper())", t.Name())), &ran))
	if len(ran.Results) != 1 {
		t.Errorf("%+v", ran)
	}
	must.NoError(t, poll.Until(t.Context(), "the cell and what it prints", func(ctx context.Context) error {
		cells, err := tab.Model(ctx)
		if err == nil && !slices.ContainsFunc(cells, func(c browser.ModelCell) bool {
			return len(c.Outputs) == 1 && fmt.Sprint(c.Outputs[0]["text"]) == strings.ToUpper(t.Name())+"\n"
		}) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
}

// leaves closes a client and checks that its session and kernel end.
func (s *site) leaves(t *testing.T, c kit.MCPClient, modern bool) {
	t.Helper()
	var made struct {
		ID     string `json:"session_id"`
		Kernel string `json:"kernel_id"`
	}
	must.NoError(t, c.Do(t.Context(), "session_create", map[string]any{"name": t.Name()}, &made))
	if modern { // which does not end with a session
		must.NoError(t, c.Do(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &map[string]any{}))
	}
	must.NoError(t, c.Leave())
	must.NoError(t, poll.Until(t.Context(), "the kernel's end", func(context.Context) error {
		status, _, err := s.ask(http.MethodGet, "/api/kernels/"+made.Kernel, "", nil)
		if err == nil && status != http.StatusNotFound {
			err = fmt.Errorf("status %d", status)
		}
		return err
	}))
}

// hearsProgress runs a notebook's gated cell, which ends only after its client has received its first line.
func (s *site) hearsProgress(t *testing.T, c *sdk.Client, name string) {
	t.Helper()
	type outcome struct {
		answer *sdk.Answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		a, err := c.CallWithProgress(t.Context(), "execute_nb_cells", map[string]any{"path": name + ".ipynb", "ranges": []any{at(0)}})
		done <- outcome{a, err}
	}()
	_, err := c.Await(t.Context(), "notifications/progress", func(params json.RawMessage) bool { return strings.Contains(string(params), "line 0") })
	must.NoError(t, err)
	for gate := 1; gate <= 3; gate++ {
		must.NoError(t, os.WriteFile(s.Path(fmt.Sprintf("%s-gate-%d", name, gate)), nil, 0o600))
	}
	o := <-done
	must.NoError(t, o.err)
	test.False(t, o.answer.IsError)
	test.StrContains(t, o.answer.Text(), "line 2")
}

// inspector runs the MCP Inspector's command line on the server, over both transports.
func (s *site) inspector(t *testing.T) {
	path := s.notebook("inspected", kit.Code("1"))
	for how, at := range map[string]string{"http": "/mcp", "sse": "/mcp/sse"} {
		server := []string{s.URL + at, "--transport", how, "--header", "Authorization: token " + s.Token}
		var listed struct{ Tools []struct{ Name string } }
		inspectServer(t, &listed, server, "--method", "tools/list")
		if !slices.ContainsFunc(listed.Tools, func(tool struct{ Name string }) bool { return tool.Name == "read_nb_cells" }) {
			t.Errorf("%s: %+v", how, listed)
		}
		result := map[string]any{}
		inspectServer(t, &result, server, "--method", "tools/call", "--tool-name", "get_nb_stat", "--tool-arg", "path="+path)
		test.NotEqOp[any](t, true, result["isError"], test.Sprint(how))
		test.StrContains(t, fmt.Sprint(result["content"]), "cell_count", test.Sprint(how))
	}
}

// tokens checks that the program has its own tokens and that no token is visible to others.
func (s *site) tokens(t *testing.T) {
	pid, err := s.program()
	must.NoError(t, err)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	must.NoError(t, err)
	env := map[string]string{}
	for _, pair := range strings.Split(string(text), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	if env["LOG_LEVEL"] != "info" {
		t.Errorf("the program logs at level %q, of which the server takes in what is at info and above", env["LOG_LEVEL"])
	}
	secrets := []string{s.Token, env["JUPYTER_TOKEN"], env["NBDUET_AUTH_TOKEN"]}
	for i, secret := range secrets {
		must.GreaterEq(t, 40, len(secret), must.Sprint("the program has no tokens of its own"))
		must.False(t, slices.Contains(secrets[:i], secret), must.Sprint("the program has no tokens of its own"))
	}
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must.NoError(t, err)
	log, err := os.ReadFile(s.LogFile)
	must.NoError(t, err)
	for _, secret := range secrets {
		for _, file := range all {
			if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), secret) {
				t.Errorf("a token is on a command line: %q", line)
			}
		}
		if strings.Contains(string(log), secret) {
			t.Error("a token is in the server's log")
		}
	}
	// The token with which the program admits clients is valid only at its own port.
	status, _, err := s.ask(http.MethodGet, "/mcp/healthz", "", func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+env["NBDUET_AUTH_TOKEN"])
	})
	must.NoError(t, err, must.Sprint("the program's own token at the server"))
	test.Eq(t, 403, status, test.Sprint("the program's own token at the server"))
	info, err := os.Stat(fmt.Sprintf("/proc/%d/environ", pid))
	must.NoError(t, err, must.Sprint("others can read the environment"))
	test.Eq(t, 0o400, info.Mode().Perm(), test.Sprint("others can read the environment"))
}

// startsAgain kills the program and checks that a later request is served.
func (s *site) startsAgain(t *testing.T) {
	c, err := kit.Dial(t.Context(), kit.ViaEvents, s.URL+"/mcp", s.URL+"/mcp/sse", s.sender)
	must.NoError(t, err)
	socket, _ := kit.DialSocket(t, s.URL+"/mcp/ws", s.header, "mcp")
	lost := make(chan struct{})
	c.OnConnectionLost(func(error) { close(lost) })
	pid, err := s.program()
	must.NoError(t, err)
	must.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	<-lost
	end := socket.Closed()
	test.StrContains(t, end, "1011")
	test.StrContains(t, end, "connect again")
	gone(t, pid)
	must.NoError(t, c.Close())
	must.NoError(t, poll.Until(t.Context(), "an answer", func(context.Context) error {
		// A request that arrives before the server notices the end gets an error that says so.
		status, text, err := s.ask(http.MethodPost, "/mcp/tools/call", `{"tool_name":"list_nbs","arguments":{}}`, nil)
		if err == nil && status != 200 {
			err = fmt.Errorf("status %d: %s", status, text)
		}
		if err == nil || status != 502 {
			must.NoError(t, err)
		}
		return err
	}))
	again, err := s.program()
	must.NoError(t, err)
	test.NotEq(t, pid, again)
}

// With a password and no token, behind TLS, people and their clients authenticate with the cookie of a login, and the
// program still works. The kernels are another server's. When the server is killed, the program ends.
func TestInsideJupyterBehindAPassword(t *testing.T) {
	cert, key, pool := kit.SelfSigned(t)
	link := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	t.Cleanup(link.CloseIdleConnections)
	s := startSite(t, lab.Options{
		Env: []string{"JUPYTER_TOKEN=", "RUNTIME_TOKEN=" + kit.Jupyter(t).Token, "NBDUET_ANSWERS=json"}, ReadyPath: "/api", Client: &http.Client{Transport: link},
		Args: []string{
			"--ServerApp.certfile=" + cert, "--ServerApp.keyfile=" + key, "--JupyterMCPServerExtensionApp.runtime_url=" + kit.Jupyter(t).URL,
			`--ServerApp.jpserver_extensions={"jupyter_mcp_server": True, "nbduet_jupyter": False}`, // by the other name alone
		},
	})
	s.sender = link
	if status, text, err := s.ask(http.MethodGet, "/mcp/healthz", "", nil); err != nil || status != 403 {
		t.Errorf("with a token, which the server does not have: status %d, %v: %s", status, err, text)
	}
	s.login(t, link)
	path := s.notebook("locked", kit.Code("print(6 * 7)"))
	c, err := kit.Dial(t.Context(), kit.ViaStream, s.URL+"/mcp", "", s.sender)
	must.NoError(t, err)
	got := map[string]any{}
	must.NoError(t, c.Do(t.Context(), "insert_nb_cells", kit.Insert(path, 1, false, "6 * 9"), &got))
	must.NoError(t, c.Do(t.Context(), "read_nb_cells", map[string]any{"path": path}, &got))
	text := fmt.Sprint(got)
	test.StrContains(t, text, "6 * 7")
	test.StrContains(t, text, "6 * 9")
	// The kernels are another server's.
	var made struct {
		ID string `json:"session_id"`
	}
	must.NoError(t, c.Do(t.Context(), "session_create", map[string]any{}, &made))
	must.NoError(t, c.Do(t.Context(), "execute_code", map[string]any{"session_id": made.ID, "code": "import os; os.getppid()"}, &got))
	if text := fmt.Sprint(got["result"]); text != strconv.Itoa(kit.Jupyter(t).PID) {
		t.Errorf("the kernel's parent is process %s, not %d: %v", text, kit.Jupyter(t).PID, got)
	}
	must.NoError(t, c.Do(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &got))
	must.NoError(t, c.Leave())
	// A page of another site would send the cookie too, but cannot know its value.
	status, _, err := s.ask(http.MethodPost, "/mcp/tools/call", `{"tool_name":"list_nbs","arguments":{}}`, func(r *http.Request) { r.Header.Del("X-XSRFToken") })
	must.NoError(t, err, must.Sprint("with the cookie alone"))
	test.Eq(t, 403, status, test.Sprint("with the cookie alone"))

	s.people(t, link)

	pid, err := s.program()
	must.NoError(t, err)
	must.NoError(t, syscall.Kill(s.PID, syscall.SIGKILL))
	<-s.Exited()
	gone(t, pid)
}

// people checks two users who have logged in. The server has one token for the program, but neither user sees what the
// other has made, even without MCP sessions to tell them apart.
func (s *site) people(t *testing.T, link http.RoundTripper) {
	t.Helper()
	comes := func() kit.GoClient {
		c, err := kit.Dial(t.Context(), kit.ViaModern, s.URL+"/mcp", "", s.sender)
		must.NoError(t, err)
		return c
	}
	ada := comes()
	s.login(t, link)
	bob := comes()
	sessions := func(c kit.GoClient) []string {
		var list struct {
			Sessions []struct {
				Name string `json:"name"`
			} `json:"sessions"`
		}
		must.NoError(t, c.Do(t.Context(), "session_list", map[string]any{}, &list))
		var names []string
		for _, n := range list.Sessions {
			names = append(names, n.Name)
		}
		return names
	}
	var made struct {
		ID string `json:"session_id"`
	}
	must.NoError(t, ada.Do(t.Context(), "session_create", map[string]any{"name": "ada's"}, &made))
	hers, his := sessions(ada), sessions(bob)
	test.SliceEqOp(t, []string{"ada's"}, hers)
	test.SliceEmpty(t, his)
	if err := bob.Do(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &map[string]any{}); err == nil {
		t.Error("he ends hers")
	}
	must.NoError(t, ada.Do(t.Context(), "session_delete", map[string]any{"session_id": made.ID}, &map[string]any{}))
	must.NoError(t, errors.Join(ada.Leave(), bob.Leave()))
}

// login logs in through the form, as a person does.
func (s *site) login(t *testing.T, link http.RoundTripper) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must.NoError(t, err)
	at, err := url.Parse(s.URL + "/login")
	must.NoError(t, err)
	person := &http.Client{Transport: link, Jar: jar}
	cookie := func(fits func(string) bool) string {
		for _, c := range jar.Cookies(at) {
			if fits(c.Name) {
				return c.Value
			}
		}
		return ""
	}
	xsrf := func() string { return cookie(func(name string) bool { return name == "_xsrf" }) }
	for _, form := range []url.Values{nil, {"password": {password}}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.String(), nil)
		must.NoError(t, err)
		if form != nil {
			form.Set("_xsrf", xsrf())
			req, err = http.NewRequestWithContext(t.Context(), http.MethodPost, at.String(), strings.NewReader(form.Encode()))
			must.NoError(t, err)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		res, err := person.Do(req)
		must.NoError(t, err)
		res.Body.Close()
	}
	var all []string
	for _, c := range jar.Cookies(at) {
		all = append(all, c.Name+"="+c.Value)
	}
	if cookie(func(name string) bool { return strings.HasPrefix(name, "username-") }) == "" {
		t.Fatal(errors.New("nobody is logged in"))
	}
	s.header = map[string]string{"Cookie": strings.Join(all, "; "), "X-XSRFToken": xsrf()}
	s.sender = sending{s.header, link}
}
