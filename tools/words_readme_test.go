package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/toolstest"
)

const (
	answersBegin = "<!-- answers:begin -->"
	answersEnd   = "<!-- answers:end -->"
)

// shopNotebook returns the notebook of the examples in the README.
func shopNotebook() string {
	cell := func(kind, id, source string, more string) string {
		b, _ := json.Marshal(source) // a string always can be
		return fmt.Sprintf(`{"cell_type": %q, "id": %q, "metadata": {}, "source": %s%s}`, kind, id, b, more)
	}
	ran := func(count int, outputs string) string {
		return fmt.Sprintf(`, "execution_count": %d, "outputs": [%s]`, count, outputs)
	}
	table := `{"output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": {"text/html": "<table>…</table>", "text/plain": "   day  price\n0    1    2.5\n1    2    4.0"}}`
	failed := `{"output_type": "error", "ename": "KeyError", "evalue": "'prise'", "traceback": [
		"---------------------------------------------------------------------------",
		"KeyError                                  Traceback (most recent call last)",
		"Cell In[3], line 1\n----> 1 df[\"prise\"].mean()\n",
		"File ~/lib/python3.11/site-packages/pandas/core/frame.py:4107, in DataFrame.__getitem__(self, key)\n-> 4107     indexer = self.columns.get_loc(key)\n",
		"File ~/lib/python3.11/site-packages/pandas/core/indexes/base.py:3819, in Index.get_loc(self, key)\n   3818     raise\n-> 3819     raise KeyError(key) from err\n",
		"KeyError: 'prise'"]}`
	plot := `{"output_type": "display_data", "metadata": {}, "data": {"image/png": "` + onePixel + `", "text/plain": "<Axes: title={'center': 'Prices'}, xlabel='day', ylabel='EUR'>"}}`
	return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [` + strings.Join([]string{
		cell("markdown", "9c1e8d2a-5b0f-4a51-9b1d-4be1f3a7c001", "# Prices", ""),
		cell("code", "4f2a7710-0c7c-4f7e-8d53-9a4c1d2e3002", "import pandas as pd\ndf = pd.read_csv(\"prices.csv\")\ndf.head(2)", ran(2, table)),
		cell("code", "b81d22e4-93a5-4a0e-b3f4-0d5e6f7a8003", "df[\"prise\"].mean()", ran(3, failed)),
		cell("code", "07c5a9f3-1e2d-4c3b-a495-867f5e4d3004", "df.plot(x=\"day\", title=\"Prices\", ylabel=\"EUR\")", ran(4, plot)),
	}, ", ") + `]}`
}

// passing are the parts that differ between runs, and their replacements.
var passing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`revision \w+`), "revision 3kq"},
	{regexp.MustCompile(`TestREADMEAnswers[\w-]*\.ipynb`), "prices.ipynb"},
	{regexp.MustCompile(`jupyter://images/\w+`), "jupyter://images/0ea8886c4a"},
	{regexp.MustCompile(`took [\w.]+`), "took 0.2s"},
}

// The README's examples match the answers of the tools.
func TestREADMEAnswers(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		c := r.Connect(tools.Config{Work: r.Work})
		defer c.Close()
		path := r.Server.Write(t, r.Server.Name(t, ".ipynb"), shopNotebook())
		var page strings.Builder
		show := func(what, name string, args toolstest.Dict) {
			t.Helper()
			args["path"] = path
			res := r.CallAs(c, name, args)
			if res.IsError {
				t.Fatalf("%s: %s", name, toolstest.MessageOf(res))
			}
			text := toolstest.MessageOf(res)
			for _, p := range passing {
				text = p.what.ReplaceAllString(text, p.as)
			}
			fmt.Fprintf(&page, "\n%s\n\n```text\n%s\n```\n", what, text)
		}
		one := func(i int) []toolstest.Dict { return []toolstest.Dict{{"start": i}} }
		show("A notebook, by `read_nb_cells`:", "read_nb_cells", toolstest.Dict{})
		show("A change that is not run, by `modify_nb_cells`:", "modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "b81d"}, "content": "1/0"}}})
		show("A run that fails, by `execute_nb_cells`:", "execute_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": "b81d"}}})
		show("Several, of which the others put out nothing or were not run:", "execute_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"start": 2, "end": 4}}})
		show("`move_nb_cells`:", "move_nb_cells", toolstest.Dict{"ranges": one(3), "position": 1})
		show("A source with a line that begins as those of nbduet do:", "modify_nb_cells", toolstest.Dict{"exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "9c1e"}, "content": "# Prices\n@@0 is not a cell"}}})
		show("and then:", "read_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": "9c1e"}}})
		show("`delete_nb_cells`:", "delete_nb_cells", toolstest.Dict{"ranges": []toolstest.Dict{{"id": "b81d"}}})
		compareREADME(t, answersBegin, answersEnd, page.String())
	})
}

// compareREADME compares the part of the README between two lines with the wanted text.
func compareREADME(t *testing.T, begin, end, want string) {
	t.Helper()
	const file = "README.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	must.True(t, ok, must.Sprint(file, begin, end))
	must.True(t, ok2, must.Sprint(file, begin, end))
	want = "\n" + want + "\n"
	if old == want {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("%s is out of date: go test ./tools -run README -update\n%s", file, want)
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
