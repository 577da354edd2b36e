package htmltext_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/session/render/htmltext"
)

// recorded returns a library's recorded output, see testdata/README.md.
func recorded(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".html")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func of(t testing.TB, markup string) string {
	t.Helper()
	text, err := htmltext.Of(markup)
	if err != nil {
		t.Errorf("%.100s: %v", markup, err)
	}
	return text
}

// The output of libraries becomes readable text, without parts for a browser.
func TestLibraries(t *testing.T) {
	for name, want := range map[string]string{
		"pandas": "|  | name | n | when |\n|---|---|---|---|\n| 0 | a_b*c | 1 | 2024-01-01 |\n" +
			"| 1 | x\\|y | 2 | 2024-02-01 |\n| 2 | <b> | 3 | NaT |",
		"pandas_multi": "|  | year | 2023 | 2023 | 2024 | 2024 |\n|---|---|---|---|---|---|\n|  | quarter | q1 | q2 | q1 | q2 |\n" +
			"| region | shop |  |  |  |  |\n| north | a | 1 | 2 | 3 | 4 |\n| north | b | 5 | 6 | 7 | 8 |\n| south | a | 9 | 10 | 11 | 12 |",
		"pandas_styler": "|  | name | n | when |\n|---|---|---|---|\n| 0 | a_b*c | 1 | 2024-01-01 00:00:00 |\n" +
			"| 1 | x\\|y | 2 | 2024-02-01 00:00:00 |\n| 2 |  | 3 | NaT |\n\nThree rows",
		"polars": "shape: (3, 3)\n\n| name | n | l |\n|---|---|---|\n| str | i64 | list[i64] |\n" +
			"| \"a_b*c\" | 1 | [1, 2] |\n| \"x\\|y\" | 2 | [3] |\n| null | 3 | [] |",
		"polars_series": "shape: (3,)\n\n| n |\n|---|\n| i64 |\n| 1 |\n| 2 |\n| 3 |",
		"r": "|  | mpg | cyl | name |\n|---|---|---|---|\n|  | <dbl> | <dbl> | <chr> |\n" +
			"| Mazda RX4 | 21.0 | 6 | a_b*c |\n| Datsun 710 | 22.8 | 4 | x\\|y |\n\nA data.frame: 2 × 3",
		"plotly": "",
		"bokeh":  "",
	} {
		if got := of(t, recorded(t, name)); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// A long table has the rows that pandas shows.
func TestLongTable(t *testing.T) {
	got := of(t, recorded(t, "pandas_long"))
	if !strings.Contains(got, "| ... | ... | ... |\n| 195 | 195 | row 195 |") {
		t.Errorf("the middle:\n%s", got)
	}
	if !strings.HasSuffix(got, "\n\n200 rows × 2 columns") {
		t.Errorf("the end:\n%s", got)
	}
}

// An estimator's diagram has the text that a page without scripts shows.
func TestEstimator(t *testing.T) {
	got := of(t, recorded(t, "sklearn"))
	want := "```\nPipeline(steps=[('standardscaler', StandardScaler()),\n                ('logisticregression', LogisticRegression(C=2))])\n```"
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant at first:\n%s", got, want)
	}
	if len(got) > 500 {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

// The forms of HTML become those of text, and characters stay unchanged.
func TestForms(t *testing.T) {
	for markup, want := range map[string]string{
		"": "",
		"a &lt;b&gt; &amp;amp; a_b*c # d [e](f) 1. g":                              "a <b> &amp; a_b*c # d [e](f) 1. g",
		"<a href='https://x.org/?a=1&amp;b=2'>a site</a>":                          "a site (https://x.org/?a=1&b=2)",
		"<a href='https://x.org/'>https://x.org/</a>":                              "https://x.org/",
		"<a href='#top'>up</a> <a href='javascript:x()'>run":                       "up run",
		"<h2>Title</h2><p>one<p>two<ul><li>a<li>b</ul>":                            "## Title\n\none\n\ntwo\n\n- a\n- b",
		"<pre>x  y\n  z</pre>":                                                     "```\nx  y\n  z\n```",
		"a<br>b":                                                                   "a\nb",
		"<p>a</p>" + strings.Repeat("<div>\n</div>\n", 50) + "<p>b</p>":            "a\n\nb",
		"<table><tr><td>1<br>2<td><ul><li>a<li>b</ul><td><p>x</p><p>y</p></table>": "|  |  |  |\n|---|---|---|\n| 1 2 | a b | x y |",
		"<table><tr><th>h<tr><td>a<u>b</u>c</table>":                               "| h |\n|---|\n| abc |",
		"<img src='data:image/png;base64,AAAA' alt='a chart'> <img src=x.png>":     "[image a chart] [image]",
		"<p>seen</p><p hidden>a</p><p style='color: red; display: none'>b</p>":     "seen",
		"<svg><text>label</text></svg>after<!-- comment --><noscript>c</noscript>": "after",
		"x\x1b[31mred\x1b[0m &#27;[32mgreen\x00\x07 &#x202e;a&nbsp;b":              "xred green a b",
	} {
		if got := of(t, markup); got != want {
			t.Errorf("%q:\n%q\nwant:\n%q", markup, got, want)
		}
	}
	got := of(t, "<p>broken <b>bold <i>both</b> rest</p")
	test.StrHasPrefix(t, "broken ", got, test.Sprint("a broken document"))
	test.StrContains(t, got, "rest", test.Sprint("a broken document"))
}

// Scripts and styles of any size are skipped silently.
func TestScripts(t *testing.T) {
	script := "<script>" + strings.Repeat("var a = '<p>no</p>';\n", 100_000) + "</script>"
	if got := of(t, script); got != "" {
		t.Errorf("a script: %.200q", got)
	}
	if got := of(t, script+"<p>text</p>"+strings.ReplaceAll(script, "script>", "style>")); got != "text" {
		t.Errorf("text between: %.200q", got)
	}
	if got := of(t, "<p>text</p>"+strings.TrimSuffix(script, "</script>")); got != "text" {
		t.Errorf("a script without end: %.200q", got)
	}
}

// Long markup is cut at a tag, and the last line says how much is missing.
func TestLong(t *testing.T) {
	row := "<tr><td>0123456789</td></tr>"
	got := of(t, "<table><tr><th>n</th></tr>"+strings.Repeat(row, 100_000)+"</table>")
	if !strings.HasSuffix(got, " more characters of HTML)") {
		t.Errorf("the end: %q", got[max(0, len(got)-100):])
	}
	rows := strings.Count(got, "| 0123456789 |")
	test.GreaterEq(t, 13_000, rows)
	test.LessEq(t, 400_000/len(row), rows)
	if lines := strings.Split(got, "\n"); lines[len(lines)-2] != "| 0123456789 |" {
		t.Errorf("a row is cut: %q", lines[len(lines)-2])
	}
	got = of(t, strings.Repeat("é", 1_000_000))
	if want := "… (800,000 more characters of HTML)"; !strings.HasSuffix(got, "é\n"+want) {
		t.Errorf("a text of one piece ends with %q, want %q", got[len(got)-60:], want)
	}
}

// Markup made to take long, or to become large, does not.
func TestHostile(t *testing.T) {
	for name, markup := range map[string]string{
		"deep":                    strings.Repeat("<div>", 10_000) + "the text" + strings.Repeat("</div>", 10_000),
		"deep inline":             strings.Repeat("<b><i>", 10_000) + "the text",
		"as deep as can be":       strings.Repeat("<div>", 500) + strings.Repeat("the text ", 40_000),
		"deep lists":              strings.Repeat("<ul><li>the text", 240),
		"deep quotes":             strings.Repeat("<blockquote>the text<br>b", 80),
		"deep tables":             strings.Repeat("<table><tr><td>the text", 120),
		"formatting across":       strings.Repeat("<p><b><i><u>the text", 2_000),
		"five megabytes":          strings.Repeat("<p>the text</p>\n", 350_000),
		"five megabytes of cells": "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>the text", 120_000),
		"a cell of a billion":     "<table><tr><td colspan=999999999 rowspan=999999999>the text",
		"a colspan beyond":        "<table><tr><td colspan=99999999999999999999999>the text",
		"a ragged table":          "<table><tr>" + strings.Repeat("<td>a", 20_000) + strings.Repeat("<tr><td>the text", 20_000),
		"a wide row above many":   "<table><tr><td colspan=60000>a<td>b" + strings.Repeat("<tr><td>the text", 20_000),
		"rows that grow":          "<table>" + strings.Repeat("<tr><td rowspan=30>a<td rowspan=40>the text", 9_000),
		"a row beyond the table":  "<table><tr><td rowspan=50000>a" + strings.Repeat("<td>the text", 20_000),
		"entity without end":      "the text &#" + strings.Repeat("9", 1_000_000),
		"named entity":            "the text &" + strings.Repeat("a", 1_000_000),
		"a tag without end":       "the text <p " + strings.Repeat("a=b ", 200_000),
		"links":                   "the text" + strings.Repeat("<a href=x>", 40_000),
		"spaces":                  "the text" + strings.Repeat(" ", 400_000) + "\n" + strings.Repeat(" \n", 400_000),
		"backticks":               "the text <code>" + strings.Repeat("`", 300_000) + "</code>",
		"comments":                "the text" + strings.Repeat("<!--", 200_000),
	} {
		text, err := htmltext.Of(markup)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(text, "the text") {
			t.Errorf("%s has no text: %.200q", name, text)
		}
		if len(text) > 4_000_000 {
			t.Errorf("%s became %d bytes", name, len(text))
		}
	}
}

// No markup makes a panic, an error or invalid text.
func FuzzOf(f *testing.F) {
	for _, name := range []string{"pandas_multi", "polars", "r", "bokeh"} {
		f.Add(recorded(f, name))
	}
	f.Add("<table><td colspan=3>a<table><a href=x><img alt='b'><p>c</table>&#27;[31m&lt;")
	f.Fuzz(func(t *testing.T, markup string) {
		if text := of(t, markup); !utf8.ValidString(text) {
			t.Errorf("%q is not valid", text)
		}
	})
}
