package filesync

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/document/nbformat"
)

// Ahead is the content of the replica if it differs from the file, else nil.
func (j Joined) Ahead(file jupyter.Content) (*jupyter.NewContent, error) {
	if t := j.Text; t != nil {
		text, err := plainText(file.Content)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file.Path, err)
		}
		now := t.String()
		if text == now {
			return nil, nil
		}
		return &jupyter.NewContent{Type: "file", Format: "text", Content: now}, nil
	}
	now := nbformat.Of(j.Notebook)
	same, err := sameNotebook(file.Content, now)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file.Path, err)
	}
	if same {
		return nil, nil
	}
	return &jupyter.NewContent{Type: "notebook", Format: "json", Content: now}, nil
}

// plainText is a text from the Contents API, with line ends as in a room.
func plainText(file json.RawMessage) (string, error) {
	var text string
	err := json.Unmarshal(file, &text)
	return strings.ReplaceAll(text, "\r\n", "\n"), err
}

// sameNotebook compares a notebook from the Contents API with the one in the room.
func sameNotebook(file json.RawMessage, now map[string]any) (bool, error) {
	was, err := nbformat.Plain(file)
	if err != nil {
		return false, err
	}
	is, err := json.Marshal(now)
	if err != nil {
		return false, err
	}
	return bytes.Equal(was, is), nil
}
