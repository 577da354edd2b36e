package answers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/tokens"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// The limits for an answer that shows a whole notebook: a factor of the content's tokens, plus tokens for each cell, for
// each picture (where it is and what it shows), and once per answer.
const (
	mostTimes    = 1.3
	mostACell    = 14
	mostAPicture = 80
	mostOnce     = 20
)

// pictures counts the outputs of a notebook that are pictures.
func pictures(t *testing.T, file []byte) (n int) {
	t.Helper()
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Data map[string]json.RawMessage `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(file, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		for _, o := range c.Outputs {
			for mime := range o.Data {
				if strings.HasPrefix(mime, "image/") || strings.HasPrefix(mime, "application/vnd.plotly") {
					n++
					break
				}
			}
		}
	}
	return n
}

// public is the number of notebooks by other people; the fixed one is not included.
const public = 20

// Reading a notebook costs little more than its content, whatever that is.
func TestReadingCostsLittle(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != public+1 {
		t.Fatalf("there are %d notebooks in %s, want %d", len(files), folder, public+1)
	}
	table := []string{fmt.Sprintf("%-38s %5s %8s %7s %6s %8s", "notebook", "cells", "content", "answer", "ratio", "may cost")}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			says, err := tokens.Of(content, notebook.DefaultCellData)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			jupytertest.Test(t, func(t *testing.T) { texts = read(t, string(content)) })
			cost := 0
			for _, text := range texts {
				n, err := tokens.Count(text)
				if err != nil {
					t.Fatal(err)
				}
				cost += n
			}
			most := int(mostTimes*float64(says.Total())) + mostACell*says.Cells + mostAPicture*pictures(t, content) + mostOnce
			table = append(table, fmt.Sprintf("%-38s %5d %8d %7d %6.2f %8d", name, says.Cells, says.Total(), cost, float64(cost)/float64(says.Total()), most))
			if cost > most {
				t.Errorf("reading %d cells that say %d tokens costs %d, may cost %d", says.Cells, says.Total(), cost, most)
			}
			checkShown(t, content, strings.Join(texts, "\n"))
		})
	}
	t.Log("in tokens:\n" + strings.Join(table, "\n"))
}

// read puts a notebook on the Jupyter server and returns the texts of the answers that show it whole.
func read(t *testing.T, content string) (texts []string) {
	t.Helper()
	rig := toolstest.New(t)
	path := rig.Server.Write(t, rig.Server.Name(t, ".ipynb"), content)
	c := rig.Connect(tools.Config{Work: rig.Work, Version: "test"})
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	for cursor := ""; ; {
		args := map[string]any{"path": path}
		if cursor != "" {
			args["cursor"] = cursor
		}
		answer := textsOf(t, c, args)
		texts = append(texts, answer...)
		next := nextCursor(strings.Join(answer, "\n"))
		if next == "" {
			return texts
		}
		if next == cursor {
			t.Fatalf("after the cursor %s comes the same", cursor)
		}
		cursor = next
	}
}

// textsOf returns the texts of an answer of read_nb_cells.
func textsOf(t *testing.T, c *client.Client, args map[string]any) (texts []string) {
	t.Helper()
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = "read_nb_cells", args
	result, err := c.CallTool(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	must.False(t, result.IsError, must.Sprint(args))
	must.SliceNotEmpty(t, texts, must.Sprint(args))
	return texts
}

// cursorOf finds the cursor of an answer, in JSON or in a line of text.
var cursorOf = regexp.MustCompile(`cursor["':=\s]+([\w-]{8,})`)

// nextCursor returns the cursor of an incomplete answer, or "".
func nextCursor(text string) string {
	all := cursorOf.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// phrase matches text that is the same in a source and in any form of answer.
var phrase = regexp.MustCompile(`[^"\\\x00-\x1f]+`)

// checkShown checks that the answers show a piece of the beginning of each source: an answer that shows less costs little.
func checkShown(t *testing.T, file []byte, answers string) {
	t.Helper()
	var nb struct {
		Cells []struct {
			Source nbfile.Text `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(file, &nb); err != nil {
		t.Fatal(err)
	}
	for i, c := range nb.Cells {
		begins, _, _ := strings.Cut(string(c.Source), "\n")
		piece := ""
		for _, p := range phrase.FindAllString(begins, -1) {
			if len(p) > len(piece) {
				piece = p
			}
		}
		if !strings.Contains(answers, piece) {
			t.Errorf("cell %d is not shown: %q is missing", i, piece)
		}
	}
}

// The cursor of an answer is found in JSON and in a line of text.
func TestNextCursor(t *testing.T) {
	for text, want := range map[string]string{
		`{"cells": [], "next_cursor":"eyJhdCI6MX0","message":"3 cells did not fit: read them with next_cursor"}`: "eyJhdCI6MX0",
		"the next 3 cells: cursor=eyJhdCI6MX0": "eyJhdCI6MX0",
		"next_cursor: eyJhdCI6MX0\n":           "eyJhdCI6MX0",
		"read them with next_cursor":           "",
		"all cells":                            "",
	} {
		if got := nextCursor(text); got != want {
			t.Errorf("the cursor of %s is %q, want %q", text, got, want)
		}
	}
}
