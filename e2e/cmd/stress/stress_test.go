package main

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nbduet/nbduet/e2e/gotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A failed test is named once, with its rate, seed and output.
func TestReport(t *testing.T) {
	l := gotest.NewLog()
	if err := l.Read(strings.NewReader(`{"Action":"output","Package":"p","Output":"-test.shuffle 17\n"}
{"Action":"pass","Package":"p","Test":"TestOne"}
{"Action":"output","Package":"p","Test":"TestOne","Output":"no\n"}
{"Action":"fail","Package":"p","Test":"TestOne"}
{"Action":"fail","Package":"p","Test":"TestOne"}
{"Action":"fail","Package":"p"}
`)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	report(&out, l)
	const want = "\n1 tests, 3 runs, 1 tests failed\n\nFAILED 2 of 3: p TestOne, -shuffle=17\nno\n"
	if out.String() != want {
		t.Errorf("report:\n%s\nwant:\n%s", out.String(), want)
	}
}
