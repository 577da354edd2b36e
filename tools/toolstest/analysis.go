package toolstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/tool"
	"github.com/nbduet/nbduet/ydoc"
)

// Create makes an analysis session.
func (r *Rig) Create(args Dict) analysis.SessionInfo {
	r.T.Helper()
	var out analysis.SessionInfo
	r.Good("session_create", args, &out)
	return out
}

// Execute runs code in a session.
func (r *Rig) Execute(id, code string) analysis.CodeResult {
	r.T.Helper()
	var out analysis.CodeResult
	r.Good("execute_code", Dict{"session_id": id, "code": code}, &out)
	return out
}

// GoesOn runs code that prints something and does not end, with a timeout as short as possible for that, and returns the
// answer and the timeout.
func (r *Rig) GoesOn(id, code string, timeout time.Duration) (out analysis.CodeResult, after time.Duration) {
	r.T.Helper()
	for after = timeout; ; after *= 10 {
		out = analysis.CodeResult{}
		r.Good("execute_code", Dict{"session_id": id, "code": code, "timeout": after.Seconds()}, &out)
		if out.Stdout != "" || after > time.Minute {
			return out, after
		}
		r.Good("interrupt_execution", Dict{"session_id": id}, &analysis.InterruptResult{}) // the kernel had not run the code yet
	}
}

// Refused calls a tool that must return an error with a code.
func (r *Rig) Refused(c *client.Client, name string, args Dict, code string, says ...string) {
	r.T.Helper()
	res := r.CallAs(c, name, args)
	var got tool.Coded
	if err := json.Unmarshal([]byte(MessageOf(res)), &got); !res.IsError || err != nil || got.Code != code || got.Message == "" {
		r.T.Errorf("%s %v: error %v, %s; want %s", name, args, res.IsError, MessageOf(res), code)
	}
	for _, want := range says {
		if !strings.Contains(got.Message, want) {
			r.T.Errorf("%s %v: %q does not say %q", name, args, got.Message, want)
		}
	}
}

// Other returns another client of the same program.
func (r *Rig) Other() *client.Client {
	r.T.Helper()
	return r.Hasty(0)
}

// Hasty returns another client, whose calls answer within a time unless they have a timeout.
func (r *Rig) Hasty(within time.Duration) *client.Client {
	r.T.Helper()
	c := r.Connect(tools.Config{Work: r.Work, Version: "test", Toolsets: tools.ToolsetNames(), AnswerWithin: within})
	r.T.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.T.Error(err)
		}
	})
	return c
}

// Tried calls a tool outside the test's goroutine.
func (r *Rig) Tried(name string, args Dict, out any) error {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := r.Client.CallTool(r.T.Context(), req)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case res.IsError:
		return fmt.Errorf("%s: %s", name, MessageOf(res))
	}
	return json.Unmarshal([]byte(MessageOf(res)), out)
}

// FilesRefuse checks the arguments that both tools that take a file refuse.
func (r *Rig) FilesRefuse(session, tool, folder string) {
	r.T.Helper()
	refuse := func(c *client.Client, session, path, code string, says ...string) {
		r.T.Helper()
		r.Refused(c, tool, Dict{"session_id": session, "path": path}, code, says...)
	}
	refuse(r.Client, session, folder+"/none.csv", analysis.CodeFile, "none.csv", "file_list")
	refuse(r.Client, session, folder, analysis.CodeIsFolder, "folder", "file_list")
	refuse(r.Client, session, "/", analysis.CodeIsFolder, `"/"`)
	for _, bad := range []string{"../etc/passwd", "a/../../b", "..", "a\x00b"} {
		refuse(r.Client, session, bad, analysis.CodePath)
	}
	refuse(r.Client, "nobody", folder, deps.CodeSession, `"nobody"`)
	refuse(r.Other(), session, folder, deps.CodeSession, session)
	r.Bad(tool, Dict{"path": folder}, `"session_id" is missing`)
	r.Bad(tool, Dict{"session_id": session}, `"path" is missing`)
	r.Bad(tool, Dict{"session_id": session, "path": []string{"a"}}, "path is a list")
	r.Bad(tool, Dict{"session_id": session, "path": ""}, "path has 0 characters")
}

// FileAt reads a file's resource.
func (r *Rig) FileAt(c *client.Client, uri string) (mcp.ResourceContents, error) {
	r.T.Helper()
	var req mcp.ReadResourceRequest
	req.Params.URI = uri
	res, err := c.ReadResource(r.T.Context(), req)
	if err != nil {
		return nil, err
	}
	if len(res.Contents) != 1 {
		r.T.Fatalf("%d contents", len(res.Contents))
	}
	return res.Contents[0], nil
}

// Get returns a notebook as notebook_get shows it to a session.
func (r *Rig) Get(session, name string) notebook.ReadResult {
	r.T.Helper()
	var out notebook.ReadResult
	r.Good("notebook_get", Dict{"session_id": session, "notebook_name": name}, &out)
	return out
}

// Room returns the notebook in this program's replica, without showing it to a client.
func (r *Rig) Room(path string) (rev ydoc.Revision, cells []ydoc.Cell) {
	r.T.Helper()
	doc, err := r.Work.Open(r.T.Context(), jupyter.MustPath(path))
	if err != nil {
		r.T.Fatal(err)
	}
	defer doc.Release()
	return doc.Notebook().Revision(), doc.Notebook().Cells()
}

// Sees waits until the replica has cells with these sources.
func (r *Rig) Sees(path string, sources ...string) {
	r.T.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		got = nil
		_, cells := r.Room(path)
		for _, c := range cells {
			got = append(got, c.Source)
		}
		if slices.Equal(got, sources) {
			return
		}
	}
	r.T.Fatalf("%s has %q, want %q", path, got, sources)
}

// Ids returns the ids of cells, in order.
func Ids(cells []notebook.CellView) (out []string) {
	for _, c := range cells {
		out = append(out, c.ID)
	}
	return out
}
