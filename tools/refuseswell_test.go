package tools_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/tools"
)

// advised matches the arguments that a refusal may name, by its wording.
var advised = map[string]*regexp.Regexp{
	"force":    regexp.MustCompile(`\bforce\b`),
	"revision": regexp.MustCompile(`\b[Gg]ive (this|its|the) revision`),
	"wait":     regexp.MustCompile(`\bwait: |give wait|wait true`),
}

// arguments returns the names of the arguments of all tools. Deriving them takes longer than a call.
var arguments = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, d := range tools.Definitions() {
		var in any
		if err := json.Unmarshal(d.Input.Raw(), &in); err != nil {
			panic(err) // the schema is made by this program
		}
		all[d.Name] = argumentsIn(in)
	}
	return all
})

// refusesWell checks a refusal: it names only arguments that the tool has, and, if the same call was refused before, it does
// not show the cell or the difference again.
func (p *positions) refusesWell(tool, text string, again bool) {
	p.T.Helper()
	for argument, is := range advised {
		if is.MatchString(text) && !slices.Contains(arguments()[tool], argument) {
			p.T.Errorf("%s has no argument %s: answered %s", tool, argument, text)
		}
	}
	if again && (strings.Contains(text, "\n| ") || strings.Contains(text, "Their change")) {
		p.T.Errorf("%s: refused again in more than a line: answered %s", tool, text)
	}
}
