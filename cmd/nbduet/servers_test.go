package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

const (
	oneURL   = "http://one:1"
	otherURL = "http://other:2/hub"
	usualURL = "http://usual:3"
)

// The document server, the kernel server and their tokens, for flags and variables of all kinds.
func TestServers(t *testing.T) {
	clean(t)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("  from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	both := func(url, token string) [2]endpoint {
		return [2]endpoint{{url: url, token: token}, {url: url, token: token}}
	}
	two := func(docs, docsToken, kernels, kernelsToken string) [2]endpoint {
		return [2]endpoint{{docs, docsToken, roleDocument, ""}, {kernels, kernelsToken, roleRuntime, ""}}
	}
	for _, c := range []struct {
		given string // flags with --, and variables
		want  [2]endpoint
	}{
		{"", both("", "")},
		{"--token=t", both("", "t")},
		{"--jupyter-url=" + usualURL + " --token=t", both(usualURL, "t")},
		{"--document-url=" + oneURL + " --document-token=d", both(oneURL, "d")},
		{"--runtime-url=" + oneURL + " --runtime-token=r", both(oneURL, "r")},
		{"DOCUMENT_URL=" + oneURL + " DOCUMENT_TOKEN=d", both(oneURL, "d")},
		{"DOCUMENT_URL=http://x NBDUET_DOCUMENT_URL=" + oneURL + " NBDUET_RUNTIME_TOKEN=r", both(oneURL, "r")},
		{"--document-url=" + oneURL + " --token=t", both(oneURL, "t")},
		{"--document-url=" + oneURL + " --runtime-url=" + oneURL + "/lab --document-token=d", both(oneURL, "d")},
		{"--document-url=" + oneURL + "/lab?token=d --runtime-url=" + oneURL + " --runtime-token=d", both(oneURL+"/lab?token=d", "d")},
		{"--document-url=local --runtime-url=LOCAL --token=t", both("", "t")},
		{"--document-url=local --jupyter-url=" + usualURL, both(usualURL, "")},
		{"--jupyter-url=" + usualURL + " --document-token=d --token=t", both(usualURL, "d")},
		{"--document-url= --document-id= --runtime-id= --token=t", both("", "t")},

		{"--document-url=" + oneURL + " --runtime-url=" + otherURL + " --document-token=d --runtime-token=r", two(oneURL, "d", otherURL, "r")},
		{"DOCUMENT_URL=" + oneURL + " RUNTIME_URL=" + otherURL + " DOCUMENT_TOKEN=d RUNTIME_TOKEN=r", two(oneURL, "d", otherURL, "r")},
		{"NBDUET_DOCUMENT_URL=" + oneURL + " NBDUET_RUNTIME_URL=" + otherURL + " NBDUET_DOCUMENT_TOKEN=d NBDUET_RUNTIME_TOKEN=r", two(oneURL, "d", otherURL, "r")},
		{"--document-url=" + oneURL + " --runtime-url=" + otherURL + " --token=t", two(oneURL, "t", otherURL, "t")},
		{"--document-url=" + oneURL + " --runtime-url=" + otherURL + " --document-token=d --token=t", two(oneURL, "d", otherURL, "t")},
		{"--document-url=" + oneURL + " --runtime-url=" + otherURL + " --document-token=no --document-token-file=FILE --runtime-token-file=FILE", two(oneURL, "from-file", otherURL, "from-file")},
		{"--document-url=" + oneURL + "?token=d --runtime-url=" + otherURL, two(oneURL+"?token=d", "d", otherURL, "")},
		// --jupyter-url is both servers, unless a flag names another, which does not get its token.
		{"--jupyter-url=" + usualURL + " --token=t --document-url=" + oneURL, two(oneURL, "", usualURL, "t")},
		{"--jupyter-url=" + usualURL + " --token=t --runtime-url=" + oneURL, two(usualURL, "t", oneURL, "")},
		{"--jupyter-url=" + usualURL + " --token=t --runtime-url=" + oneURL + " --runtime-token=r", two(usualURL, "t", oneURL, "r")},
		{"--jupyter-url=" + usualURL + " --token=t --runtime-url=" + usualURL + "/tree --document-url=" + oneURL, two(oneURL, "", usualURL+"/tree", "t")},
		{"JUPYTER_SERVER_URL=" + usualURL + " JUPYTER_TOKEN=t --runtime-url=" + otherURL + " --document-url=" + oneURL, two(oneURL, "", otherURL, "")},
		// The same holds for the server on this machine.
		{"--document-url=local --runtime-url=" + oneURL + " --token=t", two("", "t", oneURL, "")},
		{"--document-url=" + oneURL + " --document-token=d --runtime-url=local --token=t", two(oneURL, "d", "", "t")},
		// A password is used like the default token, and may begin or end with a space.
		{"--jupyter-url=" + usualURL + " --password=p", [2]endpoint{{url: usualURL, password: "p"}, {url: usualURL, password: "p"}}},
		{"--password-file=FILE --password=no", [2]endpoint{{password: "  from-file"}, {password: "  from-file"}}},
		{"JUPYTER_PASSWORD=p --document-url=" + oneURL, [2]endpoint{{url: oneURL, password: "p"}, {url: oneURL, password: "p"}}},
		{"JUPYTER_PASSWORD=p --jupyter-url=" + usualURL + " --runtime-url=" + oneURL, [2]endpoint{{usualURL, "", roleDocument, "p"}, {oneURL, "", roleRuntime, ""}}},
		{"JUPYTER_PASSWORD=p --document-url=local --runtime-url=" + oneURL, [2]endpoint{{"", "", roleDocument, "p"}, {oneURL, "", roleRuntime, ""}}},
		{"JUPYTER_PASSWORD=p --document-url=" + oneURL + " --runtime-url=" + oneURL + "/lab", [2]endpoint{{url: oneURL, password: "p"}, {url: oneURL, password: "p"}}},
	} {
		t.Run(strings.NewReplacer("://", ":", "/", "_", " ", ",").Replace(c.given), func(t *testing.T) {
			var args []string
			for _, word := range strings.Fields(strings.ReplaceAll(c.given, "FILE", file)) {
				if strings.HasPrefix(word, "--") {
					args = append(args, word)
					continue
				}
				name, value, _ := strings.Cut(word, "=")
				t.Setenv(name, value)
			}
			s, done, err := parse(args, io.Discard)
			got := [2]endpoint{s.servers.documents, s.servers.kernels}
			must.NoError(t, err)
			test.False(t, done)
			test.EqOp(t, c.want, got)
		})
	}
}

func TestNotebookToBeginWith(t *testing.T) {
	clean(t)
	for _, c := range []struct{ args, notebook, kernel string }{
		{"", "", ""},
		{"--document-id=/work/a.ipynb", "work/a.ipynb", ""},
		{"--document-id=a.ipynb --runtime-id=abc", "a.ipynb", "abc"},
	} {
		s, _, err := parse(strings.Fields(c.args), io.Discard)
		must.NoError(t, err)
		test.Eq(t, c.notebook, s.servers.notebook.String())
		test.Eq(t, c.kernel, s.servers.kernelID)
	}
	t.Setenv("DOCUMENT_ID", "b.ipynb")
	t.Setenv("RUNTIME_ID", "def")
	s, _, err := parse(nil, io.Discard)
	must.NoError(t, err, must.Sprint("from the environment"))
	test.Eq(t, "b.ipynb", s.servers.notebook.String(), test.Sprint("from the environment"))
	test.Eq(t, "def", s.servers.kernelID, test.Sprint("from the environment"))
}

// Contradictory flags are refused by name, without a token.
func TestServersRefused(t *testing.T) {
	clean(t)
	const secret = "s3cret"
	for _, c := range []struct {
		args string
		says []string
	}{
		{"--document-url=" + oneURL + " --runtime-url=" + oneURL + "/lab --document-token=" + secret + " --runtime-token=other", []string{"--document-token", "--runtime-token", "one server"}},
		{"--document-url=" + oneURL + "?token=" + secret + " --runtime-token=other", []string{"--document-token", "--runtime-token", "one server"}},
		{"--jupyter-url=" + usualURL + "?token=" + secret + " --document-url=" + oneURL + " --runtime-url=" + otherURL, []string{"--jupyter-url", usualURL, "--document-url", oneURL, "--runtime-url", otherURL}},
		{"--document-url=one:1?token=" + secret, []string{"--document-url", "one:1"}},
		{"--runtime-url=ftp://one/?token=" + secret, []string{"--runtime-url", "ftp://one"}},
		{"--runtime-url=" + oneURL + " --runtime-token=é" + secret, []string{"--runtime-url", "--runtime-token (RUNTIME_TOKEN)"}},
		{"--runtime-token-file=/no/such/file", []string{"--runtime-token-file", "/no/such/file"}},
		{"--document-token-file=/no/such/file", []string{"--document-token-file", "/no/such/file"}},
		{"--ca-file=/no/such/file", []string{"--ca-file", "/no/such/file", "PEM"}},
		{"--document-id=../a.ipynb", []string{"--document-id", `"../a.ipynb"`}},
		{"--document-id=/", []string{"--document-id", `"/"`}},
		{"--runtime-id=abc", []string{"--runtime-id", "--document-id"}},
	} {
		o := start(t, found(), strings.Fields(c.args)...)
		o.is(t, exitUsage, append(c.says, "nbduet:")...)
		if strings.Contains(o.stderr, secret) {
			t.Errorf("%s: a token is shown: %s", c.args, o.stderr)
		}
	}
}

// "local" is the server that is found; if it is the one named for the other role, there is only one server.
func TestLocalServer(t *testing.T) {
	clean(t)
	running := jupyter.Running{URL: "http://127.0.0.1:1111/x/", Token: "t0ken"}
	for _, c := range []struct {
		args          string
		docs, kernels string
		one           bool
	}{
		{"--document-url=local --runtime-url=local", "http://127.0.0.1:1111/x", "http://127.0.0.1:1111/x", true},
		{"--document-url=local --runtime-url=http://localhost:1111/x", "http://127.0.0.1:1111/x", "http://127.0.0.1:1111/x", true},
		{"--document-url=local --runtime-url=" + otherURL, "http://127.0.0.1:1111/x", otherURL, false},
		{"--runtime-url=local --document-url=" + oneURL, oneURL, "http://127.0.0.1:1111/x", false},
	} {
		s, _, err := parse(strings.Fields(c.args), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		docs, kernels, err := connectServers(t.Context(), s, found(running), discard())
		if err != nil || docs.BaseURL() != c.docs || kernels.BaseURL() != c.kernels || (docs == kernels) != c.one {
			t.Errorf("%s: %v, %v, %v", c.args, docs, kernels, err)
			continue
		}
		if local := map[string]*jupyter.Server{docs.BaseURL(): docs, kernels.BaseURL(): kernels}["http://127.0.0.1:1111/x"]; !local.HasToken() {
			t.Errorf("%s: the token that was found is not used", c.args)
		}
	}
}

// Two servers that are down do not delay the start, errors name the one that failed, and no output has a token.
func TestTwoServersDown(t *testing.T) {
	clean(t)
	t.Setenv("DOCUMENT_TOKEN", "t0ken-a")
	t.Setenv("RUNTIME_TOKEN", "t0ken-a-and-b")
	p := launch(t, "--document-url=http://127.0.0.1:9", "--runtime-url=http://127.0.0.1:9/b", "--log-level=debug", "--log-code", "--document-id=t0ken-a-and-b.ipynb")
	p.initialize()
	text, failed := p.tool(2, "get_base_url", nil)
	test.False(t, failed, test.Sprint("get_base_url"))
	test.Eq(t, `{"base_url":"http://127.0.0.1:9","runtime_url":"http://127.0.0.1:9/b"}`, text, test.Sprint("get_base_url"))
	for id, c := range []struct{ tool, says string }{
		{"list_nbs", "the document server at http://127.0.0.1:9: "}, {"list_available_kernels", "the runtime server at http://127.0.0.1:9/b: "},
	} {
		text, failed := p.tool(id+3, c.tool, nil)
		test.True(t, failed)
		test.StrContains(t, text, c.says)
	}
	if text, failed := p.tool(9, "read_nb_cells", map[string]any{"path": "t0ken-a-and-b.ipynb"}); !failed {
		t.Errorf("read_nb_cells: %q", text)
	}
	p.in.Close()
	if code := p.end(); code != exitOK {
		t.Errorf("exit code %d: %s", code, p.log.String())
	}
	log := p.log.String()
	test.StrNotContains(t, log, "t0ken-a")
	test.StrNotContains(t, log, "-and-b")
	test.StrContains(t, log, "[token]")
}
