package tools

import (
	"bytes"
	"encoding/base64"
	stdimage "image"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// shownImages decodes the pictures of an answer, as a client would, and holds them against the bounds.
func shownImages(t *testing.T, res *mcp.CallToolResult) (out []stdimage.Image) {
	t.Helper()
	for _, img := range imagesOf(res) {
		b, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			t.Fatal(err)
		}
		got, format, err := stdimage.Decode(bytes.NewReader(b))
		if err != nil || "image/"+format != img.MIMEType {
			t.Fatalf("%s: %v, %s", img.MIMEType, err, format)
		}
		if size := got.Bounds().Size(); max(size.X, size.Y) > images.MaxShown || len(b) > desk.DefaultMaxImageBytes {
			t.Errorf("a picture of %v, %d bytes", size, len(b))
		}
		out = append(out, got)
	}
	return out
}

// references are what stands in the place of images of one kind in the outputs of a result.
func references(r notebook.ExecutionResult, mime string) (out []string) {
	for _, o := range r.Outputs {
		data, _ := o["data"].(map[string]any)
		if ref, ok := data[mime].(string); ok {
			out = append(out, ref)
		}
	}
	return out
}

// address is the address in a reference.
func address(t *testing.T, reference string) string {
	t.Helper()
	i := strings.Index(reference, "jupyter://")
	if i < 0 {
		t.Fatalf("%q names no address", reference)
	}
	return strings.TrimSuffix(reference[i:], ">")
}

func (r *rig) readResource(c *client.Client, uri string) (mcp.BlobResourceContents, error) {
	r.t.Helper()
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.ReadResource(r.t.Context(), req)
	if err != nil {
		return mcp.BlobResourceContents{}, err
	}
	blob, ok := res.Contents[0].(mcp.BlobResourceContents)
	if !ok || len(res.Contents) != 1 || blob.URI != uri {
		r.t.Fatalf("%+v", res.Contents)
	}
	return blob, nil
}

const plotting = `# a plot
import matplotlib.pyplot as plt
%matplotlib inline
`

// Plots arrive in whatever format matplotlib is told to make, are listed and read, and keep their addresses.
func TestPlots(t *testing.T) {
	r := newRig(t)
	plot := "\nplt.plot([1, 3, 2]); plt.title('Plot')\nplt.show()"
	path := r.server.Notebook(t, plotting+"%config InlineBackend.figure_formats = ['png']", plot,
		"%config InlineBackend.figure_formats = ['svg']"+plot, "%config InlineBackend.figure_formats = ['jpeg']"+plot,
		"%config InlineBackend.figure_formats = ['png', 'svg']"+plot)
	run := func(start, end int) ([]notebook.ExecutionResult, []stdimage.Image) {
		var got notebook.ExecuteResult
		res := r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": start, "end": end}}}, &got)
		for _, one := range got.Results {
			if one.State != "done" {
				t.Fatalf("%+v", one)
			}
		}
		return got.Results, shownImages(t, res)
	}
	results, shown := run(0, 5)
	if len(shown) != 4 {
		t.Fatalf("%d images: %+v", len(shown), results)
	}
	for i, img := range shown {
		if size := img.Bounds().Size(); size.X < 300 || size.Y < 200 {
			t.Errorf("image %d has %v", i, size)
		}
	}
	for i, c := range []struct{ mime, begins, magic string }{
		1: {"image/png", "<image 1, ", "\x89PNG"},
		2: {"image/svg+xml", "<image 2, ", "<svg "},
		3: {"image/jpeg", "<image 3, ", "\xff\xd8"},
		4: {"image/png", "<image 4, ", "\x89PNG"},
	} {
		if i == 0 {
			continue
		}
		refs := references(results[i], c.mime)
		if len(refs) != 1 || !strings.HasPrefix(refs[0], c.begins) {
			t.Fatalf("%s: %q", c.mime, refs)
		}
		uri := address(t, refs[0])
		blob, err := r.readResource(r.client, uri)
		if err != nil || blob.MIMEType != c.mime {
			t.Fatalf("%v, %+v", err, blob.MIMEType)
		}
		original, err := base64.StdEncoding.DecodeString(blob.Blob)
		if err != nil || !strings.HasPrefix(string(original), c.magic) {
			t.Errorf("%s: %v, %.20q", uri, err, original)
		}
		var got analysis.ImageResult
		res := r.good("get_image_resource", dict{"resource_uri": uri}, &got)
		if got.MIME != c.mime || got.Data != blob.Blob || got.Width < 300 || got.Height < 200 || len(shownImages(t, res)) != 1 {
			t.Errorf("get_image_resource: %s %d×%d", got.MIME, got.Width, got.Height)
		}
		if !strings.HasSuffix(got.Description, ": plt.plot([1, 3, 2]); plt.title('Plot')") || !strings.HasPrefix(got.Description, "Cell ["+string(rune('1'+i))+"] of ") {
			t.Errorf("described as %q", got.Description)
		}
	}
	if refs := references(results[4], "image/svg+xml"); len(refs) != 1 || !strings.HasPrefix(refs[0], "<the same image") {
		t.Errorf("the other form: %q", refs)
	}
	list, err := r.client.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	pictures := slices.DeleteFunc(list.Resources, func(res mcp.Resource) bool { return !strings.HasPrefix(res.URI, "jupyter://") })
	if len(pictures) != 5 {
		t.Fatalf("%+v", list)
	}
	for _, res := range pictures {
		if !strings.HasPrefix(res.URI, "jupyter://sessions/") || !strings.HasPrefix(res.MIMEType, "image/") || !strings.Contains(res.Description, ": plt.plot(") {
			t.Errorf("%+v", res)
		}
	}
	// Read from the notebook, or through the run, it is the same image.
	var cells notebook.ReadResult
	r.good("read_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1}}}, &cells)
	first := address(t, references(results[1], "image/png")[0])
	if ref := cells.Cells[0].Outputs[0]["data"].(map[string]any)["image/png"].(string); address(t, ref) != first {
		t.Errorf("%s, and read %s", first, ref)
	}
	var one notebook.RunView
	r.good("get_run", dict{"run_id": results[1].RunID}, &one)
	if refs := references(one.ExecutionResult, "image/png"); len(refs) != 1 || address(t, refs[0]) != first {
		t.Errorf("%s, and of the run %q", first, refs)
	}
	// The same plot drawn again by the same cell keeps its address.
	if again, _ := run(0, 2); len(references(again[1], "image/png")) != 1 || address(t, references(again[1], "image/png")[0]) != first {
		t.Errorf("%s, and again %+v", first, again)
	}
}

// GIF and WebP are taken as well, a fifth image is named only, and a large one is made smaller.
func TestOtherImages(t *testing.T) {
	r := newRig(t)
	path := r.server.Notebook(t, `import base64
from IPython.display import display
def show(mime, data): display({mime: data}, raw=True)
show("image/gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
show("image/webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
import zlib, struct
def png(w, h, lines):
    def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    raw = zlib.compress(b"\0" * (lines * (1 + (w + 7) // 8)))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 1, 0, 0, 0, 0)) + chunk(b"IDAT", raw) + chunk(b"IEND", b"")).decode()
show("image/png", png(4000, 1000, 1000))
for i in range(3): show("image/png", png(50 + i, 50, 50))
show("application/vnd.plotly.v1+json", {"data": [], "layout": {}})`,
		`show("image/png", png(30_000, 30_000, 10))
show("image/png", "no base64!")
show("image/png", png(100, 100, 10))
show("image/svg+xml", "<svg><g></svg>")
show("image/svg+xml", "<svg onload='x()' width='10' height='10'>" + "<g>" * 1000 + "</g>" * 1000 + "</svg>")
print("unharmed")`)
	var got notebook.ExecuteResult
	res := r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}}, &got)
	shown := shownImages(t, res)
	if len(shown) != 4 || shown[2].Bounds().Dx() != 1568 || shown[2].Bounds().Dy() != 392 {
		t.Fatalf("%d images", len(shown))
	}
	refs := references(got.Results[0], "image/png")
	if len(refs) != 4 || !strings.Contains(refs[0], "4000×1000") || !strings.Contains(refs[0], "shown below at 1568×392") || !strings.Contains(refs[3], "an answer shows 4") {
		t.Errorf("%q", refs)
	}
	if refs := references(got.Results[0], desk.Plotly); len(refs) != 1 || !strings.Contains(refs[0], "no picture") {
		t.Errorf("%q", refs)
	}
	var image analysis.ImageResult
	r.good("get_image_resource", dict{"resource_uri": address(t, refs[3]), "include_data": false}, &image)
	if image.Width != 52 || image.Height != 50 || image.Data != "" {
		t.Errorf("%+v", image)
	}
	r.good("get_image_resource", dict{"resource_uri": address(t, refs[0])}, &image)
	if image.Width != 4000 || image.Height != 1000 || image.Data == "" {
		t.Errorf("the original: %d×%d", image.Width, image.Height)
	}
	var alone notebook.ExecuteResult
	if res := r.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1}}}, &alone); len(imagesOf(res)) != 0 {
		t.Error("what cannot be shown is")
	}
	bad := alone.Results[0]
	if bad.State != "done" || !strings.Contains(toolstest.AsJSON(t, bad.Outputs), "unharmed") {
		t.Errorf("%+v", bad)
	}
	all := strings.Join(append(references(bad, "image/png"), references(bad, "image/svg+xml")...), "\n")
	for _, says := range []string{"30000×30000 pixels", "not valid base64", "broken", "well-formed", "nested"} {
		if !strings.Contains(all, says) {
			t.Errorf("nothing says %q:\n%s", says, all)
		}
	}
}

// An image that was let go of is read again from its cell, as long as it is there; one session has no other's images.
func TestImagesLetGo(t *testing.T) {
	r := newRig(t)
	c := r.connect(Config{Work: r.work, Version: "test", Images: images.NewStore(1)})
	defer c.Close()
	path := r.server.Notebook(t, plotting+"plt.plot([1, 2])\nplt.show()")
	var got notebook.ExecuteResult
	run := func() {
		t.Helper()
		res := r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}})
		decode(t, res, &got)
		if len(shownImages(t, res)) != 1 {
			t.Fatalf("%s", messageOf(res))
		}
	}
	run()
	uri := address(t, references(got.Results[0], "image/png")[0])
	blob, err := r.readResource(c, uri)
	if err != nil || len(blob.Blob) < 1000 {
		t.Fatalf("%v, %d bytes", err, len(blob.Blob))
	}
	if _, err := r.readResource(r.client, uri); err == nil || !strings.Contains(err.Error(), "no image is known") {
		t.Errorf("another session: %v", err)
	}
	r.good("modify_nb_cells", dict{"path": path, "modifications": []dict{{"range": dict{"start": 0}, "content": "1"}}}, nil)
	if _, err := r.readResource(c, uri); err == nil || !strings.Contains(err.Error(), "no longer holds it") {
		t.Errorf("the cell holds something else: %v", err)
	}
	r.good("delete_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}}, nil)
	if _, err := r.readResource(c, uri); err == nil || !strings.Contains(err.Error(), "deleted") {
		t.Errorf("the cell is gone: %v", err)
	}
	for _, bad := range []string{"nothing", "jupyter://sessions/x/images/y.png", "file:///etc/passwd"} {
		r.bad("get_image_resource", dict{"resource_uri": bad}, bad)
		if _, err := r.readResource(r.client, bad); err == nil {
			t.Errorf("%s can be read", bad)
		}
	}
}

// A long list is paged, the latest first.
func TestImagesArePaged(t *testing.T) {
	store := images.NewStore(0)
	r := newRig(t)
	c := r.connect(Config{Work: r.work, Version: "test", Images: store})
	defer c.Close()
	path := r.server.Notebook(t, "import base64\nfrom IPython.display import display\n"+
		"gif = base64.b64decode('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')\n"+
		"for i in range(130): display({'image/gif': base64.b64encode(gif + bytes([i])).decode()}, raw=True)")
	r.callAs(c, "execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 0}}})
	var req mcp.ListResourcesRequest
	seen := map[string]bool{}
	for pages := 1; ; pages++ {
		list, err := c.ListResourcesByPage(t.Context(), req)
		if err != nil || len(list.Resources) > resource.Listed || pages > 2 {
			t.Fatalf("%v, page %d of %d", err, pages, len(list.Resources))
		}
		for _, res := range list.Resources {
			if strings.HasPrefix(res.URI, "jupyter://") {
				seen[res.URI] = true
			}
		}
		if req.Params.Cursor = list.NextCursor; req.Params.Cursor == "" {
			break
		}
	}
	if len(seen) != 130 {
		t.Errorf("%d images are listed", len(seen))
	}
}
