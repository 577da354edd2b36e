// Package nbfile reads notebook files from disk, limited to the fields that the tests and the demo read. It does not
// depend on nbduet.
//
// Concurrency: nothing here keeps state.
package nbfile

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Cell is a cell of a notebook file.
type Cell struct {
	ID             string   `json:"id"`
	Type           string   `json:"cell_type"`
	Source         Text     `json:"source"`
	Outputs        []Output `json:"outputs"`
	ExecutionCount *int     `json:"execution_count"`
}

// Output is an output of a cell: a stream has Text, other types have Data by
// MIME type.
type Output struct {
	Type string                     `json:"output_type"`
	Text Text                       `json:"text"`
	Data map[string]json.RawMessage `json:"data"`
}

// Text is a text that nbformat also allows as a list of lines.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*t = Text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Read reads the cells of a notebook file.
func Read(file string) ([]Cell, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	var notebook struct {
		Cells []Cell `json:"cells"`
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		return nil, fmt.Errorf("%s is no notebook: %w", file, err)
	}
	return notebook.Cells, nil
}
