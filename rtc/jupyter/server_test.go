package jupyter

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(jupytertest.Tests(m)) }

func TestNewAddresses(t *testing.T) {
	for _, tt := range []struct{ url, token, wantURL, wantToken string }{
		{"http://localhost:8888", "", "http://localhost:8888", ""},
		{"http://localhost:8888/", "abc", "http://localhost:8888", "abc"},
		{" https://h.example:1/user/ada/ \n", " abc\n", "https://h.example:1/user/ada", "abc"},
		{"http://127.0.0.1:8888/?token=xyz", "", "http://127.0.0.1:8888", "xyz"},
		{"http://127.0.0.1:8888/lab?token=xyz", "other", "http://127.0.0.1:8888", "xyz"},
		{"http://127.0.0.1:8888/lab/tree/a/b.ipynb?token=xyz#cell", "", "http://127.0.0.1:8888", "xyz"},
		{"http://h/user/lab/lab/tree/x", "", "http://h/user/lab", ""},
		{"http://h/user/a%40b/", "", "http://h/user/a%40b", ""},
		{"http://h//p///q/", "", "http://h/p/q", ""},
		{"http://h/notebooks/x.ipynb", "", "http://h", ""},
		{"http://[::1]:8888/tree", "", "http://[::1]:8888", ""},
		{"http://h/?token=", "abc", "http://h", "abc"},
	} {
		s, err := New(Options{URL: tt.url, Token: tt.token})
		if err != nil {
			t.Errorf("New(%q): %v", tt.url, err)
			continue
		}
		test.Eq(t, tt.wantURL, s.BaseURL())
		test.Eq(t, tt.wantToken, s.finder.at.Load().token)
		test.Eq(t, tt.wantToken != "", s.HasToken())
	}
}

// The error of a wrong address shows the address without its possible secrets.
func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct{ url, token, wantIn string }{
		{"", "", "JUPYTER_SERVER_URL"},
		{"localhost:8888?token=s3cret", "", `"localhost:8888"`},
		{"ftp://h/?token=s3cret", "", `"ftp://h/"`},
		{"ws://h", "", "http://"},
		{"http://?token=s3cret", "", "no host"},
		{"http://h:port/?token=s3cret", "", `"http://h:port/"`},
		{"http://h/%zz?token=s3cret", "", `"http://h/%zz"`},
		{"http://ada:s3cret@h/", "", `"http://h/"`},
		{"http://ada:s3cret@h", "", "JUPYTER_TOKEN"},
		{"http://h\x7f/?token=s3cret", "", "cannot be parsed"},
		{"http://h", "s3cret and more", "JUPYTER_TOKEN"},
		{"http://h", "s3cret\r\nX: y", "JUPYTER_TOKEN"},
		{"http://h", "s3crét", "JUPYTER_TOKEN"},
		{"http://" + strings.Repeat("x", 1000) + ":port", "", "xxx…"},
	} {
		_, err := New(Options{URL: tt.url, Token: tt.token})
		if err == nil {
			t.Errorf("New(%q, %q) takes it", tt.url, tt.token)
			continue
		}
		if !strings.Contains(err.Error(), tt.wantIn) {
			t.Errorf("New(%q): %q does not say %q", tt.url, err, tt.wantIn)
		}
		if strings.Contains(err.Error(), "s3c") {
			t.Errorf("New(%q): the error %q holds the secret", tt.url, err)
		}
		if len(err.Error()) > 500 {
			t.Errorf("New(%q): an error of %d bytes", tt.url, len(err.Error()))
		}
	}
}
