package desk_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	stdimage "image"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/images"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/desk"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Plots arrive in whatever format matplotlib is told to make, are listed and read, and keep their addresses.
func TestPlots(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		plot := "\nplt.plot([1, 3, 2]); plt.title('Plot')\nplt.show()"
		path := r.Server.Notebook(t, toolstest.Plotting+"%config InlineBackend.figure_formats = ['png']", plot,
			"%config InlineBackend.figure_formats = ['svg']"+plot, "%config InlineBackend.figure_formats = ['jpeg']"+plot,
			"%config InlineBackend.figure_formats = ['png', 'svg']"+plot)
		run := func(start, end int) ([]notebook.ExecutionResult, []stdimage.Image) {
			var got notebook.ExecuteResult
			res := r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": start, "end": end}}}, &got)
			for _, one := range got.Results {
				if one.State != "done" {
					t.Fatalf("%+v", one)
				}
			}
			return got.Results, toolstest.ShownImages(t, res)
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
			refs := toolstest.References(results[i], c.mime)
			if len(refs) != 1 || !strings.HasPrefix(refs[0], c.begins) {
				t.Fatalf("%s: %q", c.mime, refs)
			}
			uri := toolstest.Address(t, refs[0])
			blob, err := r.ReadResource(r.Client, uri)
			if err != nil || blob.MIMEType != c.mime {
				t.Fatalf("%v, %+v", err, blob.MIMEType)
			}
			original, err := base64.StdEncoding.DecodeString(blob.Blob)
			if err != nil || !strings.HasPrefix(string(original), c.magic) {
				t.Errorf("%s: %v, %.20q", uri, err, original)
			}
			var got analysis.ImageResult
			res := r.Good("get_image_resource", toolstest.Dict{"resource_uri": uri}, &got)
			if got.MIME != c.mime || got.Data != blob.Blob || got.Width < 300 || got.Height < 200 || len(toolstest.ShownImages(t, res)) != 1 {
				t.Errorf("get_image_resource: %s %d×%d", got.MIME, got.Width, got.Height)
			}
			if !strings.HasSuffix(got.Description, ": plt.plot([1, 3, 2]); plt.title('Plot')") || !strings.HasPrefix(got.Description, "Cell ["+string(rune('1'+i))+"] of ") {
				t.Errorf("described as %q", got.Description)
			}
		}
		if refs := toolstest.References(results[4], "image/svg+xml"); len(refs) != 1 || !strings.HasPrefix(refs[0], "<the same image") {
			t.Errorf("the other form: %q", refs)
		}
		list, err := r.Client.ListResources(t.Context(), mcp.ListResourcesRequest{})
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
		r.Good("read_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &cells)
		first := toolstest.Address(t, toolstest.References(results[1], "image/png")[0])
		if ref := cells.Cells[0].Outputs[0]["data"].(map[string]any)["image/png"].(string); toolstest.Address(t, ref) != first {
			t.Errorf("%s, and read %s", first, ref)
		}
		var one notebook.RunView
		r.Good("get_run", toolstest.Dict{"run_id": results[1].RunID}, &one)
		if refs := toolstest.References(one.ExecutionResult, "image/png"); len(refs) != 1 || toolstest.Address(t, refs[0]) != first {
			t.Errorf("%s, and of the run %q", first, refs)
		}
		// The same plot drawn again by the same cell keeps its address.
		if again, _ := run(0, 2); len(toolstest.References(again[1], "image/png")) != 1 || toolstest.Address(t, toolstest.References(again[1], "image/png")[0]) != first {
			t.Errorf("%s, and again %+v", first, again)
		}
	})
}

// pngOf is a PNG of pixels of so many bits and a kind of colour, each line behind a zero.
func pngOf(w, h uint32, bits, colour byte, pixels []byte) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		named := append([]byte(name), data...)
		out = binary.BigEndian.AppendUint32(append(out, named...), crc32.ChecksumIEEE(named))
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(pixels) // to a buffer
	_ = z.Close()
	chunk("IHDR", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h), bits, colour, 0, 0, 0))
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return out
}

// black is a black PNG that says to be w pixels wide and h high, in base64; it has but so many lines.
func black(w, h uint32, lines int) string {
	return base64.StdEncoding.EncodeToString(pngOf(w, h, 1, 0, make([]byte, lines*(1+(int(w)+7)/8))))
}

// GIF and WebP are taken as well, a fifth image is named only, and a large one is made smaller.
func TestOtherImages(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		path := r.Server.Notebook(t, `import base64
from IPython.display import display
def show(mime, data): display({mime: data}, raw=True)
show("image/gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
show("image/webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
show("image/png", "`+black(4000, 1000, 1000)+`")
for png in ["`+black(50, 50, 50)+`", "`+black(51, 50, 50)+`", "`+black(52, 50, 50)+`"]: show("image/png", png)
show("application/vnd.plotly.v1+json", {"data": [], "layout": {}})`,
			`show("image/png", "`+black(30_000, 30_000, 10)+`")
show("image/png", "no base64!")
show("image/png", "`+black(100, 100, 10)+`")
show("image/svg+xml", "<svg><g></svg>")
show("image/svg+xml", "<svg onload='x()' width='10' height='10'>" + "<g>" * 1000 + "</g>" * 1000 + "</svg>")
print("unharmed")`)
		var got notebook.ExecuteResult
		res := r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, &got)
		shown := toolstest.ShownImages(t, res)
		if len(shown) != 4 || shown[2].Bounds().Dx() != 1568 || shown[2].Bounds().Dy() != 392 {
			t.Fatalf("%d images", len(shown))
		}
		refs := toolstest.References(got.Results[0], "image/png")
		if len(refs) != 4 || !strings.Contains(refs[0], "4000×1000") || !strings.Contains(refs[0], "shown below at 1568×392") || !strings.Contains(refs[3], "an answer shows 4") {
			t.Errorf("%q", refs)
		}
		if refs := toolstest.References(got.Results[0], desk.Plotly); len(refs) != 1 || !strings.Contains(refs[0], "no picture") {
			t.Errorf("%q", refs)
		}
		var image analysis.ImageResult
		r.Good("get_image_resource", toolstest.Dict{"resource_uri": toolstest.Address(t, refs[3]), "include_data": false}, &image)
		if image.Width != 52 || image.Height != 50 || image.Data != "" {
			t.Errorf("%+v", image)
		}
		r.Good("get_image_resource", toolstest.Dict{"resource_uri": toolstest.Address(t, refs[0])}, &image)
		if image.Width != 4000 || image.Height != 1000 || image.Data == "" {
			t.Errorf("the original: %d×%d", image.Width, image.Height)
		}
		var alone notebook.ExecuteResult
		if res := r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &alone); len(toolstest.ImagesOf(res)) != 0 {
			t.Error("what cannot be shown is")
		}
		bad := alone.Results[0]
		if bad.State != "done" || !strings.Contains(sample.AsJSON(t, bad.Outputs), "unharmed") {
			t.Errorf("%+v", bad)
		}
		all := strings.Join(append(toolstest.References(bad, "image/png"), toolstest.References(bad, "image/svg+xml")...), "\n")
		for _, says := range []string{"30000×30000 pixels", "not valid base64", "broken", "well-formed", "nested"} {
			if !strings.Contains(all, says) {
				t.Errorf("nothing says %q:\n%s", says, all)
			}
		}
	})
}

// An image that an answer has no room for is read as a smaller picture, and named with the type of that.
func TestLargeImageIsNamedAsItIsRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		noise := make([]byte, 40_000) // what stands again so far behind it is not packed
		for i, random := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
			noise[i] = byte(random.Uint32())
		}
		noise = bytes.Repeat(noise, 30)
		var pixels []byte
		for i := range 700 {
			pixels = append(append(pixels, 0), noise[i*1500:(i+1)*1500]...)
		}
		file := r.Server.Write(t, r.Server.Name(t, ".png"), string(pngOf(500, 700, 8, 2, pixels)))
		code := `import base64
from IPython.display import display
png = open("` + file + `", "rb").read()
display({"image/png": base64.b64encode(png).decode()}, raw=True)`
		var got analysis.CodeResult
		r.Good("execute_code", toolstest.Dict{"session_id": r.Create(nil).ID, "code": code}, &got)
		if !got.Success || len(got.Images) != 1 {
			t.Fatalf("%.1000s", sample.AsJSON(t, got))
		}
		blob, err := r.ReadResource(r.Client, got.Images[0].URI)
		if err != nil || blob.MIMEType != "image/jpeg" {
			t.Fatalf("%s, %v: it is to be too large", blob.MIMEType, err)
		}
		if got.Images[0].MIME != blob.MIMEType {
			t.Errorf("it is named as %s, and read as %s", got.Images[0].MIME, blob.MIMEType)
		}
		list, err := r.Client.ListResources(t.Context(), mcp.ListResourcesRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list.Resources {
			if l.URI == got.Images[0].URI && (l.MIMEType != "" || l.Size != nil) {
				t.Errorf("it is listed as %s of %d bytes, and read as %s", l.MIMEType, *l.Size, blob.MIMEType)
			}
		}
	})
}

// An image that was let go of is read again from its cell, as long as it is there; one session has no other's images.
func TestImagesLetGo(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		c := r.Connect(tools.Config{Work: r.Work, Version: "test", Images: images.NewStore(1), Answers: tools.JSONAnswers})
		defer c.Close()
		path := r.Server.Notebook(t, toolstest.Plotting+"plt.plot([1, 2])\nplt.show()")
		var got notebook.ExecuteResult
		run := func() {
			t.Helper()
			res := r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}})
			toolstest.Decode(t, res, &got)
			if len(toolstest.ShownImages(t, res)) != 1 {
				t.Fatalf("%s", toolstest.MessageOf(res))
			}
		}
		run()
		uri := toolstest.Address(t, toolstest.References(got.Results[0], "image/png")[0])
		blob, err := r.ReadResource(c, uri)
		if err != nil || len(blob.Blob) < 1000 {
			t.Fatalf("%v, %d bytes", err, len(blob.Blob))
		}
		if _, err := r.ReadResource(r.Client, uri); err == nil || !strings.Contains(err.Error(), "no image is known") {
			t.Errorf("another session: %v", err)
		}
		r.Read(path)
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "1"}}}, nil)
		if _, err := r.ReadResource(c, uri); err == nil || !strings.Contains(err.Error(), "no longer holds it") {
			t.Errorf("the cell holds something else: %v", err)
		}
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		if _, err := r.ReadResource(c, uri); err == nil || !strings.Contains(err.Error(), "deleted") {
			t.Errorf("the cell is gone: %v", err)
		}
		for _, bad := range []string{"nothing", "jupyter://sessions/x/images/y.png", "file:///etc/passwd"} {
			r.Bad("get_image_resource", toolstest.Dict{"resource_uri": bad}, bad)
			if _, err := r.ReadResource(r.Client, bad); err == nil {
				t.Errorf("%s can be read", bad)
			}
		}
	})
}

// A long list is paged, the latest first.
func TestImagesArePaged(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		store := images.NewStore(0)
		r := toolstest.New(t)
		c := r.Connect(tools.Config{Work: r.Work, Version: "test", Images: store})
		defer c.Close()
		path := r.Server.Notebook(t, "import base64\nfrom IPython.display import display\n"+
			"gif = base64.b64decode('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')\n"+
			"for i in range(130): display({'image/gif': base64.b64encode(gif + bytes([i])).decode()}, raw=True)")
		r.CallAs(c, "execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}})
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
	})
}
