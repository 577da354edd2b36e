package ydiff

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// notebook is one of nbformat's own test files.
type notebook struct {
	name    string
	content map[string]any
}

// notebooks are the files in testdata/nbformat, in the order of their names, with lists of lines joined to texts.
var notebooks = sync.OnceValue(func() (all []notebook) {
	files, err := filepath.Glob(filepath.Join("testdata", "nbformat", "*.ipynb"))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no notebooks in testdata/nbformat: %v", err))
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		nb := notebook{name: filepath.Base(file)}
		if err := json.Unmarshal(b, &nb.content); err != nil {
			panic(fmt.Sprintf("%s: %v", file, err))
		}
		cells, _ := nb.content["cells"].([]any)
		for _, c := range cells {
			joinCell(c.(map[string]any))
		}
		all = append(all, nb)
	}
	return all
})

// joinCell joins the texts of a cell. JSON stays unchanged (nbformat 4, rejoin_lines).
func joinCell(cell map[string]any) {
	joinLines(cell, "source")
	outputs, _ := cell["outputs"].([]any)
	for _, o := range outputs {
		output := o.(map[string]any)
		joinLines(output, "text")
		data, _ := output["data"].(map[string]any)
		for mime := range data {
			if mime != "application/json" && !strings.HasSuffix(mime, "+json") {
				joinLines(data, mime)
			}
		}
	}
}

func joinLines(m map[string]any, key string) {
	lines, ok := m[key].([]any)
	if !ok {
		return
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line.(string))
	}
	m[key] = b.String()
}
