package analysis_test

import (
	"bytes"
	"encoding/base64"
	stdimage "image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/tools/toolstest"
)

func TestF5FileList(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		for name, content := range map[string]string{
			"b 日.csv": "x\n1\n", "a.ipynb": r.Server.Read(t, r.Server.Notebook(t, "1")), "sub/deep.txt": "", ".hidden": "",
		} {
			r.Server.Write(t, folder+"/"+name, content)
		}
		var got analysis.FileListResult
		r.Good("file_list", toolstest.Dict{"session_id": s.ID, "path": "/" + folder + "/"}, &got)
		var found []string
		for _, f := range got.Files {
			found = append(found, f.Type+":"+f.Name)
			if f.Path != folder+"/"+f.Name || f.LastModified == "" || (f.Size == nil) != (f.Type == "directory") {
				t.Errorf("%+v", f)
			}
		}
		if !slices.Equal(found, []string{"notebook:a.ipynb", "file:b 日.csv", "directory:sub"}) || got.Path != folder || got.Stopped || *got.Files[1].Size != 4 {
			t.Errorf("%q, %+v", found, got)
		}
		r.Good("file_list", toolstest.Dict{"session_id": s.ID}, &got)
		if got.Path != "" || !slices.ContainsFunc(got.Files, func(f analysis.ListedFile) bool { return f.Path == folder }) {
			t.Errorf("the root: %+v", got)
		}
		args := func(path string) toolstest.Dict { return toolstest.Dict{"session_id": s.ID, "path": path} }
		r.Refused(r.Client, "file_list", args(folder+"/b 日.csv"), analysis.CodeNotFolder, "b 日.csv", "file, not a folder")
		r.Refused(r.Client, "file_list", args(folder+"/a.ipynb"), analysis.CodeNotFolder)
		r.Refused(r.Client, "file_list", args(folder+"/none"), analysis.CodeFile, folder+"/none", "file_list")
	})
}

// A long list says that it is cut.
func TestFileListStopsEarly(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		for i := range files.MaxListed + 1 {
			r.Server.Write(t, folder+"/"+strings.Repeat("日", 60)+string(rune('一'+i)), "")
		}
		var got analysis.FileListResult
		r.Good("file_list", toolstest.Dict{"session_id": s.ID, "path": folder}, &got)
		if n := len(got.Files); n < 100 || n >= files.MaxListed || !got.Stopped || !strings.Contains(got.Message, "too long") {
			t.Errorf("%d files, %v, %q", n, got.Stopped, got.Message)
		}
	})
}

func TestF5FileRead(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		text := strings.Repeat("日本語 😀,1\r\n", 30_000)
		long := r.Server.Write(t, folder+"/long 日.csv", text)
		text = strings.ReplaceAll(text, "\r\n", "\n")
		args := toolstest.Dict{"session_id": s.ID, "path": "/" + long}
		var whole strings.Builder
		for pages := 0; ; pages++ {
			var got analysis.FileReadResult
			r.Good("file_read", args, &got)
			whole.WriteString(got.Content)
			if got.Path != long || got.Type != "file" || got.Length != 240_000 || got.Truncated != (got.Next != nil) {
				t.Fatalf("%s %s %d %v", got.Path, got.Type, got.Length, got.Truncated)
			}
			if got.Next == nil {
				if pages < 3 || whole.String() != text {
					t.Errorf("%d pages, %d bytes", pages, whole.Len())
				}
				break
			}
			args["position"] = *got.Next
			args["max_content"] = 100_000
		}
		// What somebody has typed is read, saved or not.
		note := r.Server.Write(t, folder+"/note.md", "old")
		r.Person().Good("insert_document_text", toolstest.Dict{"path": note, "position": 0, "text": "not so "}, nil)
		var typed analysis.FileReadResult
		r.Good("file_read", toolstest.Dict{"session_id": s.ID, "path": note}, &typed)
		if typed.Content != "not so old" {
			t.Errorf("%+v", typed)
		}
		notebook := r.Server.Notebook(t, "print('in a notebook')")
		var got analysis.FileReadResult
		r.Good("file_read", toolstest.Dict{"session_id": s.ID, "path": notebook}, &got)
		if got.Type != "notebook" || !strings.Contains(got.Content, "print('in a notebook')") || !strings.Contains(got.Content, `"nbformat": 4`) {
			t.Errorf("%+v", got)
		}
		binary := r.Server.Write(t, folder+"/model.bin", "\xff\xfe\x00\x01")
		huge := r.Server.Write(t, folder+"/huge.csv", strings.Repeat("0123456789abcde\n", 1<<20+1))
		before := r.Server.Read(t, long)
		refuse := func(path, code string, says ...string) {
			t.Helper()
			r.Refused(r.Client, "file_read", toolstest.Dict{"session_id": s.ID, "path": path}, code, says...)
		}
		refuse(binary, analysis.CodeNotText, "model.bin", "not UTF-8", "file_get")
		refuse(huge, analysis.CodeNotText, "huge.csv", "16777232 bytes", "execute_code")
		r.Bad("file_read", toolstest.Dict{"session_id": s.ID, "path": long, "position": 240_001}, "position 240001 is out of range")
		r.Bad("file_read", toolstest.Dict{"session_id": s.ID, "path": long, "position": -1}, "out of range")
		r.Bad("file_read", toolstest.Dict{"session_id": s.ID, "path": long, "max_content": 0}, "max_content is 0")
		r.FilesRefuse(s.ID, "file_read", folder)
		if r.Server.Read(t, long) != before {
			t.Error("the file was changed")
		}
	})
}

// picture is a PNG that no compression makes much smaller.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, side, side))
	noise := rand.New(rand.NewPCG(1, 2))
	for y := range side {
		for x := range side {
			img.Set(x, y, color.NRGBA{uint8(noise.Uint32()), uint8(noise.Uint32()), uint8(noise.Uint32()), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// resources are the links of a result, and what is embedded in it.
func resources(res *mcp.CallToolResult) (links []mcp.ResourceLink, embedded []mcp.EmbeddedResource) {
	for _, c := range res.Content {
		switch c := c.(type) {
		case mcp.ResourceLink:
			links = append(links, c)
		case mcp.EmbeddedResource:
			embedded = append(embedded, c)
		}
	}
	return links, embedded
}

// What code has written into a file is got as what it is, and is a resource of
// the session's.
func TestF5FileGet(t *testing.T) {
	r := toolstest.New(t)
	s := r.Create(nil)
	elsewhere := r.Other()
	folder := r.Folder()
	small, svg := string(picture(t, 40)), `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>1</script><rect width="9" height="9"/></svg>`
	binary := strings.Repeat("\x00\x01\xff\xfe", 1000)
	for _, c := range []struct {
		name, content, mime, delivery string
		width                         int
	}{
		{"plot 日#%?.png", small, "image/png", analysis.DeliveredImage, 40},
		{"plot-without-ending", small, "image/png", analysis.DeliveredImage, 40},
		{"drawn.svg", svg, "image/svg+xml", analysis.DeliveredImage, 30},
		{"result.csv", "a,b\r\n1,日\r\n", "text/csv", analysis.DeliveredText, 0},
		{"empty", "", analysis.Octets, analysis.DeliveredText, 0},
		{"notes", "no ending 😀", "text/plain", analysis.DeliveredText, 0},
		{"long.log", strings.Repeat("line\n", 10_000), "text/plain", analysis.DeliveredLink, 0},
		{"escaped.txt", strings.Repeat("\x01", 600_000), "text/plain", analysis.DeliveredLink, 0}, // six times as long in JSON
		{"model.bin", binary, analysis.Octets, analysis.DeliveredLink, 0},
		{"broken.png", "\x89PNG\r\n\x1a\n" + binary, "image/png", analysis.DeliveredLink, 0},
		{"n.ipynb", r.Server.Read(t, r.Server.Notebook(t, "1")), "application/x-ipynb+json", analysis.DeliveredText, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := r.Server.Write(t, folder+"/"+c.name, c.content)
			var got analysis.FileGetResult
			res := r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": "/" + path}, &got)
			if got.Path != path || got.Name != c.name || got.Delivery != c.delivery || got.Width != c.width || *got.Size != int64(len(c.content)) || got.LastModified == "" ||
				(c.name != "long.log" && got.MIME != c.mime) || !strings.HasPrefix(got.URL, r.Server.URL) {
				t.Errorf("%+v", got)
			}
			if (got.Text != nil) != (c.delivery == analysis.DeliveredText) || got.Text != nil && *got.Text != c.content {
				t.Errorf("text %v", got.Text)
			}
			if n := len(toolstest.ShownImages(t, res)); (n == 1) != (c.delivery == analysis.DeliveredImage) {
				t.Errorf("%d images", n)
			}
			links, embedded := resources(res)
			if len(links) != 1 || len(embedded) != 0 || links[0].URI != got.URI || links[0].MIMEType != got.MIME || links[0].Name != c.name {
				t.Fatalf("%+v, %+v", links, embedded)
			}
			if !strings.HasPrefix(got.URI, "jupyter://sessions/"+s.ID+"/files/") {
				t.Errorf("%s", got.URI)
			}
			contents, err := r.FileAt(r.Client, got.URI)
			if err != nil {
				t.Fatal(err)
			}
			if mime, data := bytesOf(t, contents); data != c.content || mime != got.MIME {
				t.Errorf("the resource is %s, %d bytes", mime, len(data))
			}
			if _, err := r.FileAt(elsewhere, got.URI); err == nil || !strings.Contains(err.Error(), "no such analysis session") {
				t.Errorf("another client: %v", err)
			}
			res = r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": path, "include_data": true}, &got)
			if c.delivery != analysis.DeliveredLink || c.name == "long.log" || c.name == "escaped.txt" {
				return
			}
			links, embedded = resources(res)
			if got.Delivery != analysis.DeliveredBlob || len(links) != 0 || len(embedded) != 1 {
				t.Fatalf("%+v, %+v, %d embedded", got, links, len(embedded))
			}
			if mime, data := bytesOf(t, embedded[0].Resource); data != c.content || mime != got.MIME {
				t.Errorf("embedded is %s, %d bytes", mime, len(data))
			}
		})
	}
	made := r.Server.Name(t, ".bin")
	r.Execute(s.ID, "_ = open('"+made+"', 'wb').write(bytes(range(256)))")
	var got analysis.FileGetResult
	if r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": made}, &got); got.Delivery != analysis.DeliveredLink || *got.Size != 256 {
		t.Errorf("what code has written: %+v", got)
	}
	r.FilesRefuse(s.ID, "file_get", folder)
	for _, uri := range []string{
		"none.csv", "", "..%2Fx", "../x", "%2e%2e/x", "%zz", "a%00b",
	} {
		if c, err := r.FileAt(r.Client, "jupyter://sessions/"+s.ID+"/files/"+uri); err == nil {
			t.Errorf("%s: %+v", uri, c)
		}
	}
}

func bytesOf(t *testing.T, c mcp.ResourceContents) (mime, data string) {
	t.Helper()
	switch c := c.(type) {
	case mcp.TextResourceContents:
		return c.MIMEType, c.Text
	case mcp.BlobResourceContents:
		b, err := base64.StdEncoding.DecodeString(c.Blob)
		if err != nil {
			t.Fatal(err)
		}
		return c.MIMEType, string(b)
	}
	t.Fatalf("%T", c)
	return "", ""
}

// Of a file that is too large for an answer it is said how to get at it; a large
// image is shown all the same.
func TestFileGetOfLargeFiles(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		large := r.Server.Write(t, folder+"/large.png", string(picture(t, 480)))
		var got analysis.FileGetResult
		res := r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": large}, &got)
		shown := toolstest.ShownImages(t, res)
		if links, _ := resources(res); len(shown) != 1 || got.Delivery != analysis.DeliveredImage || got.Width != 480 || *got.Size <= analysis.MaxFile || got.URI != "" || len(links) != 0 || got.Message == "" {
			t.Errorf("%+v, %d images", got, len(shown))
		}
		huge := filepath.Join(r.Server.Root, folder, "huge.parquet")
		if err := os.WriteFile(huge, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(huge, 3<<30); err != nil { // takes no room on the disk
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"just.bin": make([]byte, analysis.MaxFile+1), "huge.parquet": nil} {
			path := folder + "/" + name
			if data != nil {
				r.Server.Write(t, path, string(data))
			}
			got = analysis.FileGetResult{}
			res := r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": path, "include_data": true}, &got)
			if links, embedded := resources(res); got.Delivery != analysis.DeliveredNone || got.URI != "" || *got.Size <= analysis.MaxFile || len(links)+len(embedded) != 0 ||
				!strings.Contains(got.Message, "execute_code") || got.URL == "" {
				t.Errorf("%s: %+v", name, got)
			}
			if _, err := r.FileAt(r.Client, analysis.FileURI(s.ID, jupyter.MustPath(path))); err == nil || !strings.Contains(err.Error(), "640.0 kB") {
				t.Errorf("%s as a resource: %v", name, err)
			}
		}
		whole := r.Server.Write(t, folder+"/whole.bin", strings.Repeat("\xff", analysis.MaxFile))
		res = r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": whole, "include_data": true}, &got)
		if _, embedded := resources(res); len(embedded) != 1 || got.Delivery != analysis.DeliveredBlob {
			t.Errorf("%+v", got)
		}
		if _, err := r.FileAt(r.Client, got.URI); err != nil {
			t.Error(err)
		}
	})
}

// The resource is there with the tools that name it.
func TestFileResourceBelongsToTheSet(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		for set, want := range map[string]bool{tool.ToolsetCells: true, tool.ToolsetNotebook: false} {
			c := r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: []string{set}})
			list, err := c.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(list.ResourceTemplates, func(t mcp.ResourceTemplate) bool {
				return t.URITemplate.Raw() == "jupyter://sessions/{session_id}/files/{+path}"
			})
			if found != want {
				t.Errorf("with %s: %v", set, list.ResourceTemplates)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
