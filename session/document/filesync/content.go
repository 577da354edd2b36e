package filesync

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
)

// Ahead returns the content of the replica if it differs from the file, else nil.
func (j Joined) Ahead(file jupyter.Content) (*jupyter.NewContent, error) {
	was, err := j.inFile(file)
	now := j.content()
	var is []byte
	if err == nil {
		is, err = json.Marshal(now)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", file.Path, err)
	case bytes.Equal(was, is):
		return nil, nil
	case j.Text != nil:
		return &jupyter.NewContent{Type: "file", Format: "text", Content: now}, nil
	}
	return &jupyter.NewContent{Type: "notebook", Format: "json", Content: now}, nil
}

// content returns the replica's content in the form of the Contents API.
func (j Joined) content() any {
	if j.Text != nil {
		return j.Text.String()
	}
	return nbformat.Of(j.Notebook)
}

// inFile returns the JSON of a file's content, which equals that of the replica's content if they are the same.
func (j Joined) inFile(file jupyter.Content) ([]byte, error) {
	if j.Text == nil {
		return nbformat.Plain(file.Content)
	}
	var text string
	if err := json.Unmarshal(file.Content, &text); err != nil {
		return nil, err
	}
	return json.Marshal(strings.ReplaceAll(text, "\r\n", "\n")) // the line ends of a room
}
