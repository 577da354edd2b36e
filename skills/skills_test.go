package skills_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/collab/editguard"
	"github.com/nbduet/nbduet/skills"
)

// toolName matches the name of a tool, an argument or a word of an answer.
var toolName = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")

// The skill is short, its header has the form that clients require, and the names in it are those of tools and their
// arguments.
func TestSkill(t *testing.T) {
	if lines := strings.Count(skills.Notebook, "\n"); lines >= 120 {
		t.Errorf("the skill has %d lines", lines)
	}
	if !strings.HasPrefix(skills.Notebook, "---\nname: nbduet\ndescription: ") {
		t.Errorf("the skill begins with %.60q", skills.Notebook)
	}
	text := skills.Text()
	test.StrHasPrefix(t, "# ", text)
	test.StrNotContains(t, text, "description:")
	schemas, err := filepath.Glob(filepath.Join("..", "tools", "testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	var all strings.Builder
	for _, file := range schemas {
		known[strings.TrimSuffix(filepath.Base(file), ".json")] = true
		schema, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(schema)
	}
	var named []string
	for _, match := range toolName.FindAllStringSubmatch(skills.Notebook, -1) {
		named = append(named, match[1])
		codes := []string{editguard.CodeBusy, editguard.CodeHandsOff, editguard.CodeStopped, editguard.CodeAsk, editguard.CodeSuspect}
		if !slices.Contains(codes, match[1]) && !known[match[1]] && !strings.Contains(all.String(), `"`+match[1]+`": {`) {
			t.Errorf("the skill names %s, which there is not", match[1])
		}
	}
	for _, want := range []string{"look_around", "read_nb_cells", "watch_runs", editguard.CodeBusy, editguard.CodeHandsOff, editguard.CodeStopped, "wait_for_mention", "undo_agent", "find_tools", "changes_since"} {
		if !slices.Contains(named, want) {
			t.Errorf("the skill does not speak of %s", want)
		}
	}
}
