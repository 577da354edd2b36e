package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

const (
	pixelURI = "data:image/png;base64," + onePixel
	// pixelShort replaces it in answers.
	pixelShort = "data:image/png, 70 B"
	script     = "'use strict'; root.loader_0 = function() { return 0; };"
)

var imageAddress = regexp.MustCompile(`jupyter://images/[^ \n"]+`)

func markdown(id, source string, attachments toolstest.Dict) toolstest.Dict {
	cell := toolstest.Dict{"id": id, "cell_type": "markdown", "source": source, "metadata": toolstest.Dict{}}
	if attachments != nil {
		cell["attachments"] = attachments
	}
	return cell
}

func displayed(forms toolstest.Dict) toolstest.Dict {
	return toolstest.Dict{"output_type": "display_data", "data": forms, "metadata": toolstest.Dict{}}
}

// Answers show saved outputs and sources with images, charts or scripts as words and image lines, without data.
func TestWordsOfWhatIsEmbedded(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		cells := []struct {
			name     string
			cell     toolstest.Dict
			want     []string
			pictures int
		}{
			{"Markdown output", code("a1", "p()", displayed(toolstest.Dict{"text/markdown": "![Sales](" + pixelURI + ")", "text/plain": "<IPython.core.display.Markdown object>"})), []string{"![Sales](" + pixelShort + ")"}, 1},
			{"HTML output", code("a2", "p()", displayed(toolstest.Dict{"text/html": `<p>Left <img alt="plot" src="` + pixelURI + `"></p>`, "text/plain": "<IPython.core.display.HTML object>"})), []string{"Left", "[image plot]"}, 1},
			{"HTML beside text", code("a3", "p()", displayed(toolstest.Dict{"text/html": `<img src="` + pixelURI + `">`, "text/plain": "-Graphics-"})), []string{"-Graphics-"}, 1},
			{"LaTeX", code("a4", "p()", displayed(toolstest.Dict{"text/latex": "$x$ " + pixelURI})), []string{"$x$ " + pixelShort}, 1},
			{"JSON", code("a5", "p()", displayed(toolstest.Dict{"application/json": toolstest.Dict{"src": pixelURI}})), []string{`{"src":"` + pixelShort + `"}`}, 1},
			{"stream", code("a6", "p()", toolstest.Dict{"output_type": "stream", "name": "stdout", "text": "see " + pixelURI + "\n"}), []string{"see " + pixelShort}, 1},
			{"error", code("a7", "p()", toolstest.Dict{"output_type": "error", "ename": "ValueError", "evalue": "bad " + pixelURI, "traceback": []string{"ValueError: bad " + pixelURI}}), []string{"bad " + pixelShort}, 1},
			{"Markdown cell", markdown("b1", "Before.\n\n![shot]("+pixelURI+")\n\nAfter.", nil), []string{"Before.\n\n![shot](" + pixelShort + ")\n\nAfter."}, 1},
			{"code cell", code("b2", "x = '"+pixelURI+"'"), []string{"x = '" + pixelShort + "'"}, 1},
			{"attachment", markdown("b3", "![p](attachment:p.png)", toolstest.Dict{"p.png": toolstest.Dict{"image/png": onePixel}}), []string{"![p](attachment:p.png)\n"}, 1},
			{"Vega-Lite", code("c1", "chart", displayed(toolstest.Dict{"application/vnd.vegalite.v5+json": toolstest.Dict{"title": "Yield", "mark": "bar", "data": toolstest.Dict{"values": []int{1, 2}}, "encoding": toolstest.Dict{"x": toolstest.Dict{"field": "site"}}}, "text/plain": "<VegaLite 5 object>\n\nIf you see this message, it means the renderer has not been properly enabled"})), []string{`Vega-Lite chart "Yield": bar (x: site), 2 rows`}, 0},
			{"JavaScript", code("d1", "o()", displayed(toolstest.Dict{"application/javascript": script, "application/vnd.bokehjs_load.v0+json": script})), []string{"<application/javascript of 55 characters, which only a browser shows>"}, 0},
			{"another script type", code("d2", "o()", displayed(toolstest.Dict{"text/javascript": script})), []string{"<text/javascript of 55 characters, which only a browser shows>"}, 0},
			{"HoloViews", code("d3", "o()", displayed(toolstest.Dict{"application/vnd.holoviews_load.v0+json": script})), []string{"<application/vnd.holoviews_load.v0+json of 55 characters, which only a browser shows>"}, 0},
			{"HTML of scripts", code("d4", "o()", displayed(toolstest.Dict{"text/html": "<style>a{}</style><script>" + script + "</script>"})), []string{"<text/html of 90 characters, which only a browser shows>"}, 0},
			{"a vendor's type", code("d5", "o()", displayed(toolstest.Dict{"application/vnd.acme+json": toolstest.Dict{"a": strings.Repeat("loader_0", 200)}})), []string{"<application/vnd.acme+json of 1,608 characters, which only a browser shows>"}, 0},
			{"PDF", code("d6", "o()", displayed(toolstest.Dict{"application/pdf": onePixel})), []string{"<application/pdf of 96 characters, which only a browser shows>"}, 0},
			{"a bar", code("e1", "o()", displayed(toolstest.Dict{"application/vnd.jupyter.widget-view+json": toolstest.Dict{"model_id": "0f1e"}, "text/plain": "epoch:   0%|          | 0/30 [00:00<?, ?it/s]"})), []string{"epoch:   0%|          | 0/30 [00:00<?, ?it/s]\n<widget, initial state>"}, 0},
		}
		var all []toolstest.Dict
		for _, c := range cells {
			all = append(all, c.cell)
		}
		path := m.book(all...)
		for i, c := range cells {
			res := m.result("read_nb_cells", toolstest.Dict{"path": path, "ranges": atCell(i)})
			answer := toolstest.MessageOf(res)
			for _, want := range c.want {
				test.StrContains(t, answer, want, test.Sprint(c.name))
			}
			test.StrNotContains(t, answer, onePixel[:20], test.Sprint(c.name))
			test.StrNotContains(t, answer, "loader_0", test.Sprint(c.name))
			test.Len(t, c.pictures, toolstest.ImagesOf(res), test.Sprint(c.name, answer))
			addresses := imageAddress.FindAllString(answer, -1)
			test.SliceLen(t, c.pictures, addresses, test.Sprint(c.name, answer))
			for _, uri := range addresses {
				var req mcp.ReadResourceRequest
				req.Params.URI = uri
				read, err := m.client.ReadResource(t.Context(), req)
				must.NoError(t, err, must.Sprint(c.name))
				blob, _ := read.Contents[0].(mcp.BlobResourceContents)
				test.Eq(t, onePixel, blob.Blob, test.Sprint(c.name))
			}
		}
		plain := toolstest.MessageOf(m.Good("read_nb_cells", toolstest.Dict{"path": path}, nil)) // as JSON
		test.StrNotContains(t, plain, onePixel[:20])
		test.StrNotContains(t, plain, "loader_0")
	})
}

// The abbreviation of an image keeps its data when the words around it are edited.
func TestEditsKeepEmbeddedData(t *testing.T) {
	jupytertest.Beside(t, func(t *testing.T) {
		m := newTalk(t)
		path := m.book(markdown("b1", "Before.\n\n![shot]("+pixelURI+")", nil), markdown("b2", "Words.", nil))
		source := func(at int) string { return m.there(path)[at].Source }
		modify := func(content string) toolstest.Dict {
			return toolstest.Dict{"path": path, "exec": false, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"id": "b1"}, "content": content}}}
		}
		m.says("read_nb_cells", toolstest.Dict{"path": path})
		m.says("modify_nb_cells", modify("After.\n\n![shot]("+pixelShort+")"))
		must.Eq(t, "After.\n\n![shot]("+pixelURI+")", source(0))
		m.says("edit_text", toolstest.Dict{"path": path, "old_text": "After.\n\n![shot](" + pixelShort, "new_text": "Seen.\n\n![a shot](" + pixelShort})
		must.Eq(t, "Seen.\n\n![a shot]("+pixelURI+")", source(0))
		m.says("edit_text", toolstest.Dict{"path": path, "cell_id": "b1", "old_text": "S", "new_text": "Z", "replace_all": true})
		must.Eq(t, "Zeen.\n\n![a shot]("+pixelURI+")", source(0))
		must.StrContains(t, m.refuses("modify_nb_cells", modify("![shot](data:image/png, 71 B)")), `write "`+pixelShort+`" unchanged`)
		must.StrContains(t, m.refuses("edit_text", toolstest.Dict{"path": path, "cell_id": "b1", "old_text": "70 B", "new_text": "71 B"}), `write "`+pixelShort+`" unchanged`)
		must.StrContains(t, m.refuses("insert_nb_cells", toolstest.Dict{"path": path, "position": 0, "exec": false, "cells": []toolstest.Dict{{"content": "![x](" + pixelShort + ")", "type": "markdown"}}}), "unknown data")
		must.StrContains(t, source(0), pixelURI)
		m.says("modify_nb_cells", modify("No picture."))
		must.Eq(t, "No picture.", source(0))
	})
}
