package inspect_test

import (
	"fmt"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// A name is data, never code: calls and subscripts are rejected.
func ExampleCheckName() {
	for _, name := range []string{"counts", "model.weights", "counts[0]", "quit()"} {
		fmt.Println(name, inspect.CheckName(name) == nil)
	}
	// Output:
	// counts true
	// model.weights true
	// counts[0] false
	// quit() false
}
