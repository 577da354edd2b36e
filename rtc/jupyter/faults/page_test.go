package faults_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

var update = flag.Bool("update", false, "write the table of docs/troubleshooting.md")

// The page on troubleshooting has the table of faults.
func TestTroubleshootingPage(t *testing.T) {
	const page, begin, end = "../../../docs/troubleshooting.md", "<!-- faults:begin -->\n", "<!-- faults:end -->"
	text, err := os.ReadFile(page)
	must.NoError(t, err)
	head, rest, found := strings.Cut(string(text), begin)
	must.True(t, found)
	_, tail, found := strings.Cut(rest, end)
	must.True(t, found)

	var table strings.Builder
	table.WriteString("| code | problem | remedy |\n| --- | --- | --- |\n")
	for _, code := range faults.Codes() {
		f := faults.New(code, faults.Values{Address: "ADDRESS", Detail: "…"})
		table.WriteString("| `" + string(code) + "` | " + f.Wrong + " | " + f.Fix + " |\n")
	}
	want := head + begin + table.String() + end + tail
	if *update {
		must.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	must.EqOp(t, want, string(text), must.Sprint("go test ./rtc/jupyter/faults -run Page -update"))
}
