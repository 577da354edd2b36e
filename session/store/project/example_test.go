package project_test

import (
	"fmt"

	"github.com/nbduet/nbduet/session/store/project"
)

// A discovery is added to the project file; the comment stays.
func ExampleAdd() {
	const file = `project: {name: Shop}
modules:
  - name: load # the raw files
    description: Reads the raw files.
    patterns:
      - One function for each source.
`
	out, there, err := project.Add(file, "load", project.Patterns, "Dates are parsed on reading.")
	fmt.Println(there, err)
	fmt.Print(out)
	// Output:
	// false <nil>
	// project: {name: Shop}
	// modules:
	//   - name: load # the raw files
	//     description: Reads the raw files.
	//     patterns:
	//       - One function for each source.
	//       - Dates are parsed on reading.
}
