package tab_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
)

// Text added to the project file appears in the tab that has it open, beside the person's typing.
func TestProjectFileIsAddedToInTheTab(t *testing.T) {
	ctx := t.Context()
	path := newText(t, kit.ProjectText)
	tab := openText(t, path)
	nbduet := kit.StartAgent(t, "--project="+path)
	tab.typeAtEnd("      - typed here")
	typed := kit.ProjectText + "      - typed here"
	tab.shows(path, typed)
	var read struct{ Content string }
	must.NoError(t, poll.Until(ctx, "the agent to have what was typed", func(ctx context.Context) error {
		_, err := nbduet.Do(ctx, "get_document_content", map[string]any{"path": path}, &read)
		if err == nil && read.Content != typed {
			err = fmt.Errorf("%q", read.Content)
		}
		return err
	}))
	var kept struct{ Added bool }
	_, err := nbduet.Do(ctx, "record_context", map[string]any{"discovery": "Never log tokens", "module": "auth", "add_to": "patterns"}, &kept)
	must.NoError(t, err)
	tab.shows(path, typed+"\n      - Never log tokens\n")
	fileBecomes(t, path, typed+"\n      - Never log tokens\n")
	if !kept.Added {
		t.Error("it is not said to be added")
	}
	tab.Shoot("added")
}
