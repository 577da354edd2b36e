package notebook

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/target"
)

func TestNotebookPath(t *testing.T) {
	const base = "http://127.0.0.1:8888"
	for _, c := range []struct{ url, base, want string }{
		{"http://127.0.0.1:8888/tree/example/notebook1.ipynb", base, "example/notebook1.ipynb"},
		{"http://127.0.0.1:8888/notebooks/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/edit/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/view/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/work/a.ipynb", base, "work/a.ipynb"},
		{"http://127.0.0.1:8888/doc/tree/work/a.ipynb", base, "work/a.ipynb"},
		{"http://127.0.0.1:8888/lab/workspaces/auto-Q/tree/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/lab/workspaces/auto-Q/doc/tree/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/doc/workspaces/x/tree/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/RTC:work/a.ipynb", base, "work/a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/RTC%3Awork/a.ipynb", base, "work/a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/a.ipynb?token=abc&reset#part", base, "a.ipynb"},
		{"  http://127.0.0.1:8888/lab/tree/a.ipynb\n", base, "a.ipynb"},
		{"http://localhost:8888/lab/tree/a.ipynb", base, "a.ipynb"},
		{"http://[::1]:8888/lab/tree/a.ipynb", base, "a.ipynb"},
		{"http://LocalHost:8888/lab/tree/a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/My%20work/%E6%97%A5%E6%9C%AC%20%23%25%3F.ipynb", base, "My work/日本 #%?.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/日本/a+b.ipynb", base, "日本/a+b.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/a%2Fb.ipynb", base, "a/b.ipynb"},
		{"http://127.0.0.1:8888/lab/tree//a.ipynb", base, "a.ipynb"},
		{"http://127.0.0.1:8888/lab/tree/tree/lab.ipynb", base, "tree/lab.ipynb"},
		{"https://hub.example/user/al%40x/lab/tree/a.ipynb", "https://hub.example/user/al%40x", "a.ipynb"},
		{"https://hub.example:443/user/alice/notebooks/a.ipynb", "https://hub.example/user/alice", "a.ipynb"},
		{"https://HUB.example./user/alice/notebooks/a.ipynb", "https://hub.example/user/alice", "a.ipynb"},
	} {
		got, err := notebookPath(c.url, c.base)
		must.NoError(t, err)
		test.Eq(t, c.want, got)
	}
}

func TestNotebookPathRefuses(t *testing.T) {
	const base = "http://127.0.0.1:8888/user/alice"
	for _, c := range []struct{ url, says string }{
		{"", "not a full URL"},
		{"work/a.ipynb", "not a full URL"},
		{"/lab/tree/a.ipynb", "not a full URL"},
		{"ftp://127.0.0.1:8888/lab/tree/a.ipynb", "not a full URL"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/%zz.ipynb", "cannot be parsed"},
		{"http://evil.example/user/alice/lab/tree/a.ipynb", "another server"},
		{"http://127.0.0.1:9999/user/alice/lab/tree/a.ipynb", "another server"},
		{"https://127.0.0.1:8888/user/alice/lab/tree/a.ipynb", "another server"},
		{"http://127.0.0.1.evil.example:8888/user/alice/lab/tree/a.ipynb", "another server"},
		{"http://127.0.0.1:8888/user/bob/lab/tree/a.ipynb", "outside the Jupyter server"},
		{"http://127.0.0.1:8888/user/alice2/lab/tree/a.ipynb", "outside the Jupyter server"},
		{"http://127.0.0.1:8888/user/alice/lab", "names no file"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/", "names no file"},
		{"http://127.0.0.1:8888/user/alice/lab/workspaces/x", "names no file"},
		{"http://127.0.0.1:8888/user/alice/files/a.ipynb", "names no file"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/a.md", "does not end with .ipynb"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/a.ipynb/", "does not end with .ipynb"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/folder", "does not end with .ipynb"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/%2e%2e/%2e%2e/etc/passwd.ipynb", `".."`},
		{"http://127.0.0.1:8888/user/alice/lab/tree/a%00.ipynb", "NUL"},
		{"http://127.0.0.1:8888/user/alice/lab/tree/" + strings.Repeat("x", 10_000) + ".ipynb", "at most 4096"},
	} {
		got, err := notebookPath(c.url, base)
		if err == nil {
			t.Errorf("notebookPath(%q) = %q", c.url, got)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("notebookPath(%q): %q does not say %q", c.url, err, c.says)
		}
	}
}

func TestNotebookPathKeepsSecretsOutOfErrors(t *testing.T) {
	for _, u := range []string{
		"http://other:1/lab/tree/a.ipynb?token=s3cret",
		"http://other:1/lab/tree/a.ipynb?x=1&Token=s3cret&y=2",
		"http://other:1/lab/tree/a.ipynb#token=s3cret",
		"http://user:s3cret@other:1/lab/tree/a.ipynb",
		"http://other:1/%zz?tok%65n=s3cret",
	} {
		_, err := notebookPath(u, "http://127.0.0.1:8888")
		must.Error(t, err, must.Sprint(u))
		test.StrNotContains(t, err.Error(), "s3cret", test.Sprint(u))
	}
	const u = "http://127.0.0.1:8888/lab/tree/a%20b.ipynb?x=1&token=s3cret&y=%20#z"
	if got, want := target.WithoutToken(u), strings.Replace(u, "s3cret", "REDACTED", 1); got != want {
		t.Errorf("withoutToken = %q, want %q", got, want)
	}
}
