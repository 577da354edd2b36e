package loginpage_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter/loginpage"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                "a page without a title",
		"<title></title>": "a page without a title",
		"<title>\n Hotel\t&lt;Adler&gt;\x1b[31m </title>":                   `"Hotel <Adler> [31m"`,
		"<TITLE lang=en>Sign in</TITLE><INPUT id=a TYPE='password' name=b>": `"Sign in", which asks for a password`,
		"<input type=text name=password>":                                   "a page without a title",
		"<title>" + strings.Repeat("é", 70) + "</title>":                    `"` + strings.Repeat("é", 60) + `…"`,
		"<title>\xff</title>":                                               "\"\uFFFD\"",
		strings.Repeat(" ", 70<<10) + "<title>late</title>":                 "a page without a title",
	} {
		if got := loginpage.Read(strings.NewReader(text)).String(); got != want {
			t.Errorf("%.80q is %s, want %s", text, got, want)
		}
	}
	for path, want := range map[string]bool{"/realms/a/protocol/openid-connect/auth": true, "/users/sign_in": true, "/api/contents": false} {
		if loginpage.IsLogin(path) != want {
			t.Errorf("%s is a login: %v", path, !want)
		}
	}
}
