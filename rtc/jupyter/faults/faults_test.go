package faults_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// Every sentence is one line of at most 300 characters, with all values replaced, with and without an address.
func TestSentences(t *testing.T) {
	seen := map[faults.Code]bool{}
	for _, code := range faults.Codes() {
		if seen[code] {
			t.Errorf("%s stands there twice", code)
		}
		seen[code] = true
		for _, address := range []string{"", "https://hub.example.org:8443/user/ann"} {
			f := faults.New(code, faults.Values{Address: address, Detail: "connection refused"})
			text := f.Error()
			test.Eq(t, code, f.Code)
			test.NotEq(t, "", f.Wrong)
			test.NotEq(t, "", f.Fix)
			test.Eq(t, f.Wrong+"; "+f.Fix, text)
			n := len([]rune(text))
			test.LessEq(t, 300, n, test.Sprint(code))
			test.False(t, strings.ContainsAny(text, "{}\n"), test.Sprint(code))
			test.StrNotContains(t, text, "  ", test.Sprint(code))
		}
	}
}

// Of finds a fault in any wrapping error, and nothing in other errors.
func TestOf(t *testing.T) {
	want := faults.New(faults.DiskFull, faults.Values{})
	for _, err := range []error{want, fmt.Errorf("open a.ipynb: %w", want), errors.Join(errors.New("x"), fmt.Errorf("y: %w", want))} {
		got, ok := faults.Of(err)
		must.True(t, ok, must.Sprint(err))
		test.EqOp(t, want, got, test.Sprint(err))
	}
	for _, err := range []error{nil, errors.New("disk_full"), faults.Fault{}} {
		if got, ok := faults.Of(err); ok {
			t.Errorf("%v is %+v", err, got)
		}
	}
}

// A sentence about one of two servers names only the settings of that server.
func TestForRole(t *testing.T) {
	for _, code := range faults.Codes() {
		f := faults.New(code, faults.Values{Address: "http://a:1", Detail: "x"})
		if f.ForRole("") != f {
			t.Errorf("%s is another one without a role", code)
		}
		usual, own := []string{"--jupyter-url", "JUPYTER_SERVER_URL", "--token ("}, []string{"--runtime-url (RUNTIME_URL)", "--runtime-token (RUNTIME_TOKEN)"}
		text := f.ForRole("runtime").Error()
		named := slices.ContainsFunc(usual, func(s string) bool { return strings.Contains(f.Error(), s) })
		test.Eq(t, slices.ContainsFunc(own, func(s string) bool { return strings.Contains(text, s) }), named, test.Sprint(code))
		test.False(t, slices.ContainsFunc(usual, func(s string) bool { return strings.Contains(text, s) }), test.Sprint(code))
	}
}

// A code without a row is a bug in a program.
func TestUnknownCode(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it has a sentence")
		}
	}()
	faults.New("gremlins", faults.Values{})
}
