package tokens

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/session/textfmt"
)

// count is Count for a valid text.
func count(t *testing.T, text string) int {
	t.Helper()
	n, err := Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// of is Of for a valid notebook of these cells.
func of(t *testing.T, limit int, cells ...string) Content {
	t.Helper()
	c, err := Of([]byte(`{"nbformat": 4, "nbformat_minor": 5, "cells": [`+strings.Join(cells, ", ")+`]}`), limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shows returns a code cell without a source, with one output.
func shows(output string) string {
	return fmt.Sprintf(`{"cell_type": "code", "source": "", "outputs": [%s]}`, output)
}

// The tokens are those of o200k.
func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello world": 2, "print(1)": 4, "私は学生です": 3} {
		if n := count(t, text); n != want {
			t.Errorf("%q has %d tokens, want %d", text, n, want)
		}
	}
}

// Every cell counts as a cell, and its source is counted both as a text and as lines.
func TestSources(t *testing.T) {
	const source = "import numpy as np\nnp.arange(12)"
	got := of(t, 0,
		`{"cell_type": "markdown", "source": "# Heading"}`,
		`{"cell_type": "code", "source": ["import numpy as np\n", "np.arange(12)"], "outputs": []}`,
		`{"cell_type": "raw", "source": ""}`)
	if want := (Content{Cells: 3, Sources: count(t, "# Heading") + count(t, source)}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	if got.Total() != got.Sources {
		t.Errorf("the total without outputs is %d, want %d", got.Total(), got.Sources)
	}
}

// The readable part of each output is counted once.
func TestOutputs(t *testing.T) {
	for name, c := range map[string]struct{ output, says string }{
		"a stream":             {`{"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]}`, "one\ntwo\n"},
		"a coloured stream":    {`{"output_type": "stream", "name": "stderr", "text": "\u001b[31mred\u001b[0m wine"}`, "red wine"},
		"text beside HTML":     {`{"output_type": "execute_result", "data": {"text/html": "<b>A</b> table of much", "text/plain": "A table"}}`, "A table"},
		"text beside a PNG":    {`{"output_type": "display_data", "data": {"image/png": "aGVsbG8gd29ybGQ=", "text/plain": "<Figure>"}}`, "<Figure>"},
		"Markdown beside HTML": {`{"output_type": "display_data", "data": {"text/html": "<b>A</b>", "text/markdown": "**A**"}}`, "**A**"},
		"LaTeX beside HTML":    {`{"output_type": "display_data", "data": {"text/html": "<i>x</i>", "text/latex": ["$x", "^2$"]}}`, "$x^2$"},
		"HTML alone": {
			`{"output_type": "display_data", "data": {"text/html": "<style>p { color: red }</style><!-- old -->\n<p class=\"a\">1 &lt; 2,</p><p>3 < 4</p><script>f('<p>no</p>')</script>"}}`,
			"1 < 2, 3 < 4",
		},
		"a PNG alone":         {`{"output_type": "display_data", "data": {"image/png": "aGVsbG8gd29ybGQ="}}`, ""},
		"data for a program":  {`{"output_type": "display_data", "data": {"application/vnd.plotly.v1+json": {"data": [1, 2, 3]}}}`, ""},
		"an error":            {`{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["a", "b"]}`, "ZeroDivisionError: division by zero"},
		"an error in colours": {`{"output_type": "error", "ename": "E", "evalue": "\u001b[1mbold\u001b[0m", "traceback": []}`, "E: bold"},
	} {
		if got, want := of(t, 0, shows(c.output)).Outputs, count(t, c.says); got != want {
			t.Errorf("%s: %d tokens, want the %d of %q", name, got, want, c.says)
		}
	}
}

// Sources and outputs are counted up to the limit.
func TestCut(t *testing.T) {
	const limit = 200
	text := strings.Repeat("A sentence of some length. ", 50)
	short, isCut := textfmt.Cut(text, limit)
	if !isCut {
		t.Fatalf("%d characters are not cut", len(text))
	}
	got := of(t, limit, fmt.Sprintf(`{"cell_type": "code", "source": %q, "outputs": [{"output_type": "stream", "text": %q}]}`, text, text+"!"))
	if want := count(t, short); got.Sources != want {
		t.Errorf("the source cut to %d characters has %d tokens, want %d", limit, got.Sources, want)
	}
	tail, _ := textfmt.Cut(text+"!", limit)
	if want := count(t, tail); got.Outputs != want {
		t.Errorf("the output cut to %d characters has %d tokens, want %d", limit, got.Outputs, want)
	}
}

// An invalid notebook or output is an error.
func TestUnreadable(t *testing.T) {
	for name, file := range map[string]string{
		"no JSON":            `{"cells": [`,
		"a number as a text": `{"cells": [` + shows(`{"output_type": "display_data", "data": {"text/plain": 3}}`) + `]}`,
	} {
		if c, err := Of([]byte(file), 0); err == nil {
			t.Errorf("%s counts as %+v", name, c)
		}
	}
}
