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
	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/service/files"
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
			test.Eq(t, folder+"/"+f.Name, f.Path)
			test.NotEq(t, "", f.LastModified)
			test.Eq(t, f.Type == "directory", f.Size == nil)
		}
		test.SliceEqOp(t, []string{"notebook:a.ipynb", "file:b 日.csv", "directory:sub"}, found)
		test.Eq(t, folder, got.Path)
		test.False(t, got.Stopped)
		test.Eq(t, 4, *got.Files[1].Size)
		r.Good("file_list", toolstest.Dict{"session_id": s.ID}, &got)
		test.Eq(t, "", got.Path, test.Sprint("the root"))
		test.True(t, slices.ContainsFunc(got.Files, func(f analysis.ListedFile) bool { return f.Path == folder }), test.Sprint("the root"))
		args := func(path string) toolstest.Dict { return toolstest.Dict{"session_id": s.ID, "path": path} }
		r.Refused(r.Client, "file_list", args(folder+"/b 日.csv"), analysis.CodeNotFolder, "b 日.csv", "file, not a folder")
		r.Refused(r.Client, "file_list", args(folder+"/a.ipynb"), analysis.CodeNotFolder)
		r.Refused(r.Client, "file_list", args(folder+"/none"), analysis.CodeFile, folder+"/none", "file_list")
	})
}

// A long list says that it is incomplete.
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
		n := len(got.Files)
		test.GreaterEq(t, 100, n)
		test.Less(t, files.MaxListed, n)
		test.True(t, got.Stopped)
		test.StrContains(t, got.Message, "too long")
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
			must.Eq(t, long, got.Path)
			must.Eq(t, "file", got.Type)
			must.Eq(t, 240_000, got.Length)
			must.Eq(t, got.Next != nil, got.Truncated)
			if got.Next == nil {
				test.GreaterEq(t, 3, pages)
				test.Eq(t, text, whole.String())
				break
			}
			args["position"] = *got.Next
			args["max_content"] = 100_000
		}
		// Text typed by another participant is read, saved or not.
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
		test.Eq(t, "notebook", got.Type)
		test.StrContains(t, got.Content, "print('in a notebook')")
		test.StrContains(t, got.Content, `"nbformat": 4`)
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

// picture returns a PNG that does not compress well.
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

// resources returns the links and the embedded resources of a result.
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

// A file that code has written is returned unchanged, and is a resource of the session.
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
			test.Eq(t, path, got.Path)
			test.Eq(t, c.name, got.Name)
			test.Eq(t, c.delivery, got.Delivery)
			test.Eq(t, c.width, got.Width)
			test.Eq(t, int64(len(c.content)), *got.Size)
			test.NotEq(t, "", got.LastModified)
			test.False(t, c.name != "long.log" && got.MIME != c.mime)
			test.StrHasPrefix(t, r.Server.URL, got.URL)
			test.Eq(t, c.delivery == analysis.DeliveredText, got.Text != nil)
			test.False(t, got.Text != nil && *got.Text != c.content)
			if n := len(toolstest.ShownImages(t, res)); (n == 1) != (c.delivery == analysis.DeliveredImage) {
				t.Errorf("%d images", n)
			}
			links, embedded := resources(res)
			must.SliceLen(t, 1, links)
			must.SliceEmpty(t, embedded)
			must.Eq(t, got.URI, links[0].URI)
			must.Eq(t, got.MIME, links[0].MIMEType)
			must.Eq(t, c.name, links[0].Name)
			if !strings.HasPrefix(got.URI, "jupyter://sessions/"+s.ID+"/files/") {
				t.Errorf("%s", got.URI)
			}
			contents, err := r.FileAt(r.Client, got.URI)
			if err != nil {
				t.Fatal(err)
			}
			mime, data := bytesOf(t, contents)
			test.Eq(t, c.content, data, test.Sprint(len(data)))
			test.Eq(t, got.MIME, mime, test.Sprint(len(data)))
			_, err = r.FileAt(elsewhere, got.URI)
			must.Error(t, err, must.Sprint("another client"))
			test.StrContains(t, err.Error(), "no such analysis session", test.Sprint("another client"))
			res = r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": path, "include_data": true}, &got)
			if c.delivery != analysis.DeliveredLink || c.name == "long.log" || c.name == "escaped.txt" {
				return
			}
			links, embedded = resources(res)
			must.Eq(t, analysis.DeliveredBlob, got.Delivery)
			must.SliceEmpty(t, links)
			must.SliceLen(t, 1, embedded)
			mime, data = bytesOf(t, embedded[0].Resource)
			test.Eq(t, c.content, data, test.Sprint(len(data)))
			test.Eq(t, got.MIME, mime, test.Sprint(len(data)))
		})
	}
	made := r.Server.Name(t, ".bin")
	r.Execute(s.ID, "_ = open('"+made+"', 'wb').write(bytes(range(256)))")
	var got analysis.FileGetResult
	r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": made}, &got)
	test.Eq(t, analysis.DeliveredLink, got.Delivery, test.Sprint("what code has written"))
	test.Eq(t, 256, *got.Size, test.Sprint("what code has written"))
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

// For a file that is too large for an answer, the answer says how to read it; a large image is shown nevertheless.
func TestFileGetOfLargeFiles(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		r := toolstest.New(t)
		s := r.Create(nil)
		folder := r.Folder()
		large := r.Server.Write(t, folder+"/large.png", string(picture(t, 480)))
		var got analysis.FileGetResult
		res := r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": large}, &got)
		shown := toolstest.ShownImages(t, res)
		links, _ := resources(res)
		must.SliceLen(t, 1, shown)
		test.Eq(t, analysis.DeliveredImage, got.Delivery)
		test.Eq(t, 480, got.Width)
		test.Greater(t, analysis.MaxFile, *got.Size)
		test.Eq(t, "", got.URI)
		must.SliceEmpty(t, links)
		test.NotEq(t, "", got.Message)
		huge := filepath.Join(r.Server.Root, folder, "huge.parquet")
		if err := os.WriteFile(huge, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(huge, 3<<30); err != nil { // sparse: takes no room on the disk
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"just.bin": make([]byte, analysis.MaxFile+1), "huge.parquet": nil} {
			path := folder + "/" + name
			if data != nil {
				r.Server.Write(t, path, string(data))
			}
			got = analysis.FileGetResult{}
			res := r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": path, "include_data": true}, &got)
			links, embedded := resources(res)
			test.Eq(t, analysis.DeliveredNone, got.Delivery, test.Sprint(name))
			test.Eq(t, "", got.URI, test.Sprint(name))
			test.Greater(t, analysis.MaxFile, *got.Size, test.Sprint(name))
			test.Eq(t, 0, len(links)+len(embedded), test.Sprint(name))
			test.StrContains(t, got.Message, "execute_code", test.Sprint(name))
			test.NotEq(t, "", got.URL, test.Sprint(name))
			_, err := r.FileAt(r.Client, analysis.FileURI(s.ID, jupyter.MustPath(path)))
			must.Error(t, err, must.Sprint(name))
			test.StrContains(t, err.Error(), "640.0 kB", test.Sprint(name))
		}
		whole := r.Server.Write(t, folder+"/whole.bin", strings.Repeat("\xff", analysis.MaxFile))
		res = r.Good("file_get", toolstest.Dict{"session_id": s.ID, "path": whole, "include_data": true}, &got)
		_, embedded := resources(res)
		must.SliceLen(t, 1, embedded)
		test.Eq(t, analysis.DeliveredBlob, got.Delivery)
		if _, err := r.FileAt(r.Client, got.URI); err != nil {
			t.Error(err)
		}
	})
}

// The file resource is available with the tools that name it.
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
