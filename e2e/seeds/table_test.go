package seeds

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// checks are the checks of this package, by their names in the table.
var checks = map[string]func(*check){
	"addresses":        checkAddresses,
	"analysis":         checkAnalysisSessions,
	"analysis files":   checkAnalysisFiles,
	"analysis schemas": checkAnalysisSchemas,
	"cells":            checkCells,
	"code":             checkCode,
	"context":          checkContext,
	"datalayer":        checkDatalayer,
	"documents":        checkDocuments,
	"extension":        checkExtension,
	"http":             checkHTTP,
	"kernels":          checkKernels,
	"pictures":         checkPictures,
	"program":          checkProgram,
	"resources":        checkResources,
	"schemas":          checkSchemas,
	"sessions":         checkSessions,
	"texts":            checkTexts,
	"variables":        checkVariables,
}

// ofReal are the checks that need features which the fake server lacks.
var ofReal = []string{"extension", "variables"}

// A check is a running check.
type check struct {
	*testing.T
	// Server is the Jupyter server shared by all checks.
	Server *jupytertest.Server

	mu   sync.Mutex
	seen map[string]int // how often each row was checked
}

// row reports a check's result for a row: ok means that the table is right about it. found goes into the message if not.
func (c *check) row(id string, ok bool, found ...any) {
	c.Helper()
	c.mu.Lock()
	c.seen[id]++
	c.mu.Unlock()
	if !ok {
		c.Errorf("%s is not so: %v", id, found)
	}
}

var readmeSums = regexp.MustCompile(`Of\s+\d+\s+requirements\s+of\s+five\s+contracts,\s+\d+\s+hold\s+and\s+\d+\s+differ`)

// README.md has the sums of the table, which has no open row.
func TestREADME(t *testing.T) {
	rows, err := Table()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sums := SumsOf(rows)
	if sums.Open > 0 {
		t.Errorf("%d rows of the table are open, which README.md does not say", sums.Open)
	}
	want := fmt.Sprintf("Of %d requirements of five contracts, %d hold and %d differ", len(rows), sums.Holds, sums.Differs)
	if got := strings.Join(strings.Fields(readmeSums.FindString(string(page))), " "); got != want {
		t.Errorf("README.md says %q, want %q", got, want)
	}
}

// An error in a table names its line.
func TestParse(t *testing.T) {
	for text, says := range map[string]string{
		"000.001 | holds | x":                              "four or five columns",
		"5.1 | holds | x | y":                              "no id",
		"000.002 | holds | x | y\n000.001 | holds | x | y": "table.txt:2: not after",
		"000.002 | holds | x | y\n000.002 | holds | x | y": "not after",
		"000.001 | done | x | y":                           "no state",
		"000.001 | holds |  | y":                           "a check",
		"000.001 | open | x | y | z":                       "a check",
		"000.001 | differs | x | y":                        "a reason",
		"000.001 | holds | x | y | z":                      "a reason",
		"000.001 | holds | x | ":                           "nothing said",
	} {
		_, err := parse(text)
		must.Error(t, err, must.Sprint(text))
		test.StrContains(t, err.Error(), says, test.Sprint(text))
	}
	if rows, err := parse("# seeds\n\n000.001 | differs | a/b.TestC | y | z\n"); err != nil || len(rows) != 1 || SumsOf(rows) != (Sums{Differs: 1}) {
		t.Errorf("%+v, %v", rows, err)
	} else if folder, test, ok := rows[0].Elsewhere(); folder != "a/b" || test != "TestC" || !ok {
		t.Errorf("it is elsewhere: %s, %s, %v", folder, test, ok)
	}
}

// Every line of the seeds is in the state that the table says.
func TestTable(t *testing.T) {
	rows, err := Table()
	if err != nil {
		t.Fatal(err)
	}
	run := slices.DeleteFunc(slices.Sorted(maps.Keys(checks)), func(name string) bool { return slices.Contains(ofReal, name) && !jupytertest.Real() })
	held := make(map[string]map[string]int) // rows by their check
	for _, name := range run {
		t.Run(name, func(t *testing.T) {
			c := &check{T: t, Server: jupytertest.Shared(t), seen: make(map[string]int)}
			held[name] = c.seen
			t.Parallel()
			checks[name](c)
		})
	}
	t.Cleanup(func() { compare(t, rows, held, len(held) != len(run)) }) // when all checks have ended
	if !jupytertest.Real() {
		t.Logf("not asked of the fake server: %s", strings.Join(ofReal, ", "))
	}
	for seed := range 5 {
		id := "00" + string(rune('0'+seed))
		t.Log(id + ": " + SumsOf(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !strings.HasPrefix(r.ID, id) })).String())
	}
	t.Log("all: " + SumsOf(rows).String())
}

// compare reports every row that its own check has not covered, and every row that another check has covered, unless
// only a part of the checks was run.
func compare(t *testing.T, rows []Row, held map[string]map[string]int, part bool) {
	t.Helper()
	for _, row := range rows {
		if folder, test, ok := row.Elsewhere(); ok {
			if !exists(t, folder, test) {
				t.Errorf("%s is held by a test that is not there: %s", row.ID, row.Check)
			}
			continue
		}
		if row.State != Open && checks[row.Check] == nil {
			t.Errorf("%s is held by a check that is not there: %s", row.ID, row.Check)
		}
		for name, seen := range held {
			switch by := name == row.Check; {
			case by && seen[row.ID] == 0:
				t.Errorf("%s is to be held by %s, which does not look at it", row.ID, name)
			case !by && seen[row.ID] > 0 && !part:
				t.Errorf("%s is held by %s; the table says %q", row.ID, name, row.Check)
			}
			delete(seen, row.ID)
		}
	}
	for name, seen := range held {
		for id := range seen {
			t.Errorf("%s looks at %s, which is no line", name, id)
		}
	}
}

// exists reports whether a package has a test.
func exists(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	is := regexp.MustCompile(`(?m)^func ` + test + `\(t \*testing\.T\)`)
	return slices.ContainsFunc(files, func(file string) bool {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return is.Match(b)
	})
}
