package render_test

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
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/resource"
	"github.com/nbduet/nbduet/tools/toolstest"
	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Plots arrive in every format that matplotlib can be set to, are listed and read, and keep their addresses.
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
			size := img.Bounds().Size()
			test.GreaterEq(t, 300, size.X, test.Sprint(i))
			test.GreaterEq(t, 200, size.Y, test.Sprint(i))
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
			must.SliceLen(t, 1, refs)
			must.StrHasPrefix(t, c.begins, refs[0])
			uri := toolstest.Address(t, refs[0])
			blob, err := r.ReadResource(r.Client, uri)
			must.NoError(t, err)
			must.Eq(t, c.mime, blob.MIMEType)
			original, err := base64.StdEncoding.DecodeString(blob.Blob)
			must.NoError(t, err, must.Sprint(uri))
			test.StrHasPrefix(t, c.magic, string(original), test.Sprint(uri))
			var got analysis.ImageResult
			res := r.Good("get_image_resource", toolstest.Dict{"resource_uri": uri}, &got)
			test.Eq(t, c.mime, got.MIME, test.Sprint("get_image_resource"))
			test.Eq(t, blob.Blob, got.Data, test.Sprint("get_image_resource"))
			test.GreaterEq(t, 300, got.Width, test.Sprint("get_image_resource"))
			test.GreaterEq(t, 200, got.Height, test.Sprint("get_image_resource"))
			test.SliceLen(t, 1, toolstest.ShownImages(t, res), test.Sprint("get_image_resource"))
			test.StrHasSuffix(t, ": plt.plot([1, 3, 2]); plt.title('Plot')", got.Description)
			test.StrHasPrefix(t, "Cell ["+string(rune('1'+i))+"] of ", got.Description)
		}
		refs := toolstest.References(results[4], "image/svg+xml")
		must.SliceLen(t, 1, refs, must.Sprint("the other form"))
		test.StrHasPrefix(t, "<the same image", refs[0], test.Sprint("the other form"))
		list, err := r.Client.ListResources(t.Context(), mcp.ListResourcesRequest{})
		if err != nil {
			t.Fatal(err)
		}
		pictures := slices.DeleteFunc(list.Resources, func(res mcp.Resource) bool { return !strings.HasPrefix(res.URI, "jupyter://") })
		if len(pictures) != 5 {
			t.Fatalf("%+v", list)
		}
		for _, res := range pictures {
			test.StrHasPrefix(t, "jupyter://sessions/", res.URI)
			test.StrHasPrefix(t, "image/", res.MIMEType)
			test.StrContains(t, res.Description, ": plt.plot(")
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
		refs = toolstest.References(one.ExecutionResult, "image/png")
		must.SliceLen(t, 1, refs)
		test.Eq(t, first, toolstest.Address(t, refs[0]))
		// The same plot drawn again by the same cell keeps its address.
		again, _ := run(0, 2)
		must.SliceLen(t, 1, toolstest.References(again[1], "image/png"))
		test.Eq(t, first, toolstest.Address(t, toolstest.References(again[1], "image/png")[0]))
	})
}

// pngOf returns a PNG of pixels with a bit depth and a colour type; each line begins with a zero.
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

// black returns a black PNG in base64 that claims to be w pixels wide and h high, but has only the given number of lines.
func black(w, h uint32, lines int) string {
	return base64.StdEncoding.EncodeToString(pngOf(w, h, 1, 0, make([]byte, lines*(1+(int(w)+7)/8))))
}

// GIF and WebP are accepted as well, a fifth image is only named, and a large one is made smaller.
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
		must.SliceLen(t, 4, shown)
		must.Eq(t, 1568, shown[2].Bounds().Dx())
		must.Eq(t, 392, shown[2].Bounds().Dy())
		refs := toolstest.References(got.Results[0], "image/png")
		must.SliceLen(t, 4, refs)
		test.StrContains(t, refs[0], "4000×1000")
		test.StrContains(t, refs[0], "shown below at 1568×392")
		test.StrContains(t, refs[3], "an answer shows 4")
		if refs := toolstest.References(got.Results[0], render.Plotly); len(refs) != 1 || !strings.Contains(refs[0], "no picture") {
			t.Errorf("%q", refs)
		}
		var image analysis.ImageResult
		r.Good("get_image_resource", toolstest.Dict{"resource_uri": toolstest.Address(t, refs[3]), "include_data": false}, &image)
		test.Eq(t, 52, image.Width)
		test.Eq(t, 50, image.Height)
		test.Eq(t, "", image.Data)
		r.Good("get_image_resource", toolstest.Dict{"resource_uri": toolstest.Address(t, refs[0])}, &image)
		test.Eq(t, 4000, image.Width, test.Sprint("the original"))
		test.Eq(t, 1000, image.Height, test.Sprint("the original"))
		test.NotEq(t, "", image.Data, test.Sprint("the original"))
		var alone notebook.ExecuteResult
		if res := r.Good("execute_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 1}}}, &alone); len(toolstest.ImagesOf(res)) != 0 {
			t.Error("what cannot be shown is")
		}
		bad := alone.Results[0]
		test.Eq(t, "done", bad.State)
		test.StrContains(t, sample.AsJSON(t, bad.Outputs), "unharmed")
		all := strings.Join(append(toolstest.References(bad, "image/png"), toolstest.References(bad, "image/svg+xml")...), "\n")
		for _, says := range []string{"30000×30000 pixels", "not valid base64", "broken", "well-formed", "nested"} {
			if !strings.Contains(all, says) {
				t.Errorf("nothing says %q:\n%s", says, all)
			}
		}
	})
}

// An image that does not fit in an answer is read as a smaller image, and named with the type of that.
func TestLargeImageIsNamedAsItIsRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		noise := make([]byte, 40_000) // repetitions at this distance are not compressed
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
		must.True(t, got.Success)
		must.SliceLen(t, 1, got.Images)
		blob, err := r.ReadResource(r.Client, got.Images[0].URI)
		must.NoError(t, err)
		must.Eq(t, "image/jpeg", blob.MIMEType)
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

// An image dropped from the cache is read again from its cell, as long as the cell exists; sessions cannot read each
// other's images.
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
		must.NoError(t, err)
		must.GreaterEq(t, 1000, len(blob.Blob))
		_, err = r.ReadResource(r.Client, uri)
		must.Error(t, err, must.Sprint("another session"))
		test.StrContains(t, err.Error(), "is unknown in this session", test.Sprint("another session"))
		r.Read(path)
		r.Good("modify_nb_cells", toolstest.Dict{"path": path, "modifications": []toolstest.Dict{{"range": toolstest.Dict{"start": 0}, "content": "1"}}}, nil)
		_, err = r.ReadResource(c, uri)
		must.Error(t, err, must.Sprint("the cell holds something else"))
		test.StrContains(t, err.Error(), "no longer holds it", test.Sprint("the cell holds something else"))
		r.Good("delete_nb_cells", toolstest.Dict{"path": path, "ranges": []toolstest.Dict{{"start": 0}}}, nil)
		_, err = r.ReadResource(c, uri)
		must.Error(t, err, must.Sprint("the cell is gone"))
		test.StrContains(t, err.Error(), "deleted", test.Sprint("the cell is gone"))
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
			must.NoError(t, err)
			must.LessEq(t, resource.Listed, len(list.Resources))
			must.LessEq(t, 2, pages)
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
