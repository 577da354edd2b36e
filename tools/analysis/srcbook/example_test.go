package srcbook_test

import (
	"fmt"

	"github.com/nbduet/nbduet/tools/analysis/srcbook"
)

// A notebook is written as srcbook markdown and read back.
func Example() {
	text, err := srcbook.Encode(srcbook.Notebook{
		Title:    "Counts",
		Language: "python",
		Cells:    []srcbook.Cell{{ID: "sum", Type: "code", Source: "sum(counts)"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	nb, err := srcbook.Decode(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("read again:", nb.Title, nb.Cells[0].ID, nb.Cells[0].Source)
	// Output:
	// <!-- srcbook:{"language":"python","notebook":{}} -->
	//
	// # Counts
	//
	// ###### sum.py
	//
	// ```python
	// sum(counts)
	// ```
	// read again: Counts sum sum(counts)
}
