package resource_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
	"github.com/nbduet/nbduet/ydoc"
)

// Each answer to a read names and describes its resource, and says if a notebook has no template.
func TestReadsDescribeThemselves(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x = 1")
		r.Read(path)
		uri := r.URIOf(path)
		for at, want := range map[string]string{
			uri: "Notebook " + path, uri + "/srcmd": "Notebook " + path, uri + "/json": "Notebook " + path, uri + "/cells": "Individual cells",
			uri + "/cells/c0": "Code cell", uri + "/cells/c0/outputs": "Code cell", target.URICurrent: "Notebook " + path, target.URIList: "List of all active notebooks",
		} {
			meta := r.MustRead(at).Meta
			about, _ := meta["description"].(string)
			test.StrHasPrefix(t, want, about, test.Sprint(at))
			must.NotNil(t, meta["name"], must.Sprint(at))
			test.NotEqOp[any](t, "", meta["name"], test.Sprint(at))
			if pattern, there := meta["pattern"]; at != target.URIList && (!there || pattern != nil) {
				t.Errorf("%s: the pattern is %v, present %v", at, pattern, there)
			}
		}
		if list := r.MustRead(target.URIList).Text; !strings.Contains(list, `"pattern": null`) {
			t.Errorf("the list is %s", list)
		}
	})
}

// A notebook without cells has the contract's text.
func TestEmptyNotebookResource(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t)
		r.Read(path)
		uri := r.URIOf(path)
		for _, at := range []string{uri, uri + "/srcmd", target.URICurrent} {
			if text := r.MustRead(at).Text; text != "Empty notebook" {
				t.Errorf("%s reads %q", at, text)
			}
		}
	})
}

// An image that does not fit in an answer is read as a smaller image with the address of the original.
func TestLargeImageResource(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, "x")
		whole := sample.NoisePNG(t, 700, 500)
		doc, err := r.Work.Open(t.Context(), jupyter.MustPath(path))
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Release()
		if err := doc.Edit(t.Context(), "output", func(e *ydoc.Editor) error {
			return e.SetOutputs("c0", []ydoc.Output{sample.Display(map[string]any{"image/png": whole})})
		}); err != nil {
			t.Fatal(err)
		}
		r.Read(path)
		var uri string
		for at := range r.Listed(r.Client) {
			if strings.Contains(at, "/images/") {
				uri = at
			}
		}
		small, err := r.ReadResource(r.Client, uri)
		if err != nil {
			t.Fatal(err)
		}
		must.GreaterEq(t, tool.MaxAnswerBytes, len(whole))
		must.LessEq(t, tool.MaxAnswerBytes, len(small.Blob))
		test.EqOp[any](t, uri+"/full", small.Meta["full"])
		test.False(t, small.Meta["fullWidth"] != 700.0 && small.Meta["fullWidth"] != 700)
		full, err := r.ReadResource(r.Client, uri+"/full")
		must.NoError(t, err, must.Sprint(len(full.Blob), len(whole)))
		test.Eq(t, whole, full.Blob, test.Sprint(len(full.Blob), len(whole)))
		test.Eq(t, "image/png", full.MIMEType, test.Sprint(len(full.Blob), len(whole)))
		if _, err := r.ReadResource(r.Client, uri+"/other"); err == nil {
			t.Error("another form is there")
		}
	})
}
