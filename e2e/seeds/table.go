package seeds

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// State is the state of a line of a seed.
type State string

// The states of a line.
const (
	Holds   State = "holds"   // the program does as the line says
	Differs State = "differs" // the program deliberately differs, and Why says how and why
	Open    State = "open"    // the program does not do as the line says
)

// Row is one line of a seed.
type Row struct {
	ID    string // such as 002.081: the seed, and the line
	State State
	Check string // the check of this package, or "package.Test"; "" where State is Open
	Says  string // the requirement
	Why   string // if State is not Holds: the replacement, and the reason
}

// Elsewhere returns the folder and the test of another package if the row's check is one; ok reports whether it is.
func (r Row) Elsewhere() (folder, test string, ok bool) {
	folder, test, ok = strings.Cut(r.Check, ".Test")
	return folder, "Test" + test, ok
}

//go:embed table.txt
var table string

// Table returns all rows, in order. An error names the line of table.txt.
func Table() ([]Row, error) { return parse(table) }

var rowID = regexp.MustCompile(`^00[0-4]\.\d{3}b?$`)

// parse reads rows, one per line: id, state, check, requirement and, if it differs, the reason, separated by " | ".
func parse(text string) (rows []Row, err error) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		wrong := func(what string) error { return fmt.Errorf("table.txt:%d: %s: %q", i+1, what, line) }
		part := strings.Split(line+" ", " | ")
		for j := range part {
			part[j] = strings.TrimSpace(part[j])
		}
		if len(part) != 4 && len(part) != 5 {
			return nil, wrong("there are not four or five columns")
		}
		r := Row{ID: part[0], State: State(part[1]), Check: part[2], Says: part[3]}
		if len(part) == 5 {
			r.Why = part[4]
		}
		switch {
		case !rowID.MatchString(r.ID):
			return nil, wrong("no id")
		case len(rows) > 0 && rows[len(rows)-1].ID >= r.ID:
			return nil, wrong("not after the row before")
		case !slices.Contains([]State{Holds, Differs, Open}, r.State):
			return nil, wrong("no state")
		case (r.Check == "") != (r.State == Open):
			return nil, wrong("a check, and only what is open has none")
		case (r.Why == "") != (r.State == Holds):
			return nil, wrong("a reason, and only what holds has none")
		case r.Says == "":
			return nil, wrong("nothing said")
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Sums has the number of rows in each state.
type Sums struct{ Holds, Differs, Open int }

// SumsOf counts rows.
func SumsOf(rows []Row) (s Sums) {
	for _, r := range rows {
		switch r.State {
		case Holds:
			s.Holds++
		case Differs:
			s.Differs++
		case Open:
			s.Open++
		}
	}
	return s
}

// String returns the sums for a log.
func (s Sums) String() string {
	return fmt.Sprintf("of %d lines, %d hold, %d differ for a reason that the table gives, %d are open", s.Holds+s.Differs+s.Open, s.Holds, s.Differs, s.Open)
}
