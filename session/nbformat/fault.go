package nbformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/session/words"
)

// conflictMarks begin the lines that a merge leaves in a file whose sides it could not unite.
var conflictMarks = []string{"<<<<<<< ", "=======", ">>>>>>> ", "||||||| "}

// Fault says why the text of a file is no notebook, with the line where that can be told; nil if it is one.
func Fault(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("the file is empty")
	}
	for i, line := range strings.Split(text, "\n") {
		for _, mark := range conflictMarks {
			if strings.HasPrefix(line, mark) {
				line, _ = words.Cut(strings.TrimRight(line, "\r"), 80)
				return fmt.Errorf("line %d: %q is the mark of a merge conflict", i+1, line)
			}
		}
	}
	var raw any
	if err := decodeJSON(text, &raw); err != nil {
		return err
	}
	_, err := notebookOf(raw)
	return err
}

// lineError adds the line to an error of the JSON of a text.
func lineError(text string, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := min(max(int(syntax.Offset)-1, 0), len(text))
	return fmt.Errorf("line %d: %w", 1+strings.Count(text[:at], "\n"), err)
}
