package tools

import (
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/store/activity"
	"github.com/nbduet/nbduet/tools/deps"
)

// The instructions describe an analysis with the tools that are listed for the client, and name no others.
func TestInstructionsLeadThroughAnAnalysis(t *testing.T) {
	all := registry(&parts{Deps: &deps.Deps{}})
	cells := []string{"create_document", "insert_nb_cells", "inspect_data", "delete_nb_cells"}
	sessions := []string{"session_create", "execute_code", "get_variables", "get_dataframe_info", "get_image_resource", "notebook_add_cell", "session_delete"}
	for _, test := range []struct {
		on       []string
		readOnly bool
		named    []string
	}{
		{on: nil, named: cells},
		{on: []string{"core"}, named: cells},
		{on: []string{"analysis"}, named: sessions},
		{on: []string{"core", "analysis"}, named: sessions},
		{on: ToolsetNames(), named: sessions},
		{on: nil, readOnly: true, named: []string{"inspect_data"}},
	} {
		cfg := Config{Toolsets: test.on, ReadOnly: test.readOnly, Activity: &activity.Store{}}
		text := instructionsFor(cfg, newOffer(all, cfg))
		for _, name := range test.named {
			if !strings.Contains(text, name) {
				t.Errorf("%v, read-only %v: %s is not named:\n%s", test.on, test.readOnly, name, text)
			}
		}
	}
	for _, name := range append(ToolsetNames(), "") {
		for _, readOnly := range []bool{false, true} {
			cfg := Config{ReadOnly: readOnly}
			if name != "" {
				cfg.Toolsets = []string{name}
			}
			o := newOffer(all, cfg)
			text := instructionsFor(cfg, o)
			for _, named := range toolName.FindAllString(text, -1) {
				if _, tool := o.by[named]; tool && !o.listed[named] {
					t.Errorf("%q, read-only %v: %s is not on the list:\n%s", name, readOnly, named, text)
				}
			}
			test.StrNotContains(t, text, "\n\n", test.Sprint(name, readOnly))
			test.StrNotContains(t, text, "\n ", test.Sprint(name, readOnly))
			test.StrContains(t, text, "exact numbers", test.Sprint(name, readOnly))
		}
	}
}
