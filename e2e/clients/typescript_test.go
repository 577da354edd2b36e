package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// typescript connects a client made with the MCP SDK for TypeScript. The test fails if client or program exit with an
// error or log the token.
func typescript(t *testing.T, opt sdk.Options) *sdk.Client {
	t.Helper()
	if opt.ClientEnv == nil {
		opt.ClientEnv = kit.Jupyter(t).ClientEnv()
	}
	c, err := sdk.Start(t.Context(), opt)
	must.NoError(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if strings.Contains(c.Log(), kit.Jupyter(t).Token) {
			t.Error("the token is in the log")
		}
		if t.Failed() {
			t.Logf("the log of client and program:\n%s", c.Log())
		}
	})
	return c
}

// typescriptStdio is typescript with the program over its standard streams.
func typescriptStdio(t *testing.T, args ...string) *sdk.Client {
	t.Helper()
	return typescript(t, stdioOptions(t, sdk.Options{}, args...))
}

// stdioOptions is opt with the program over its standard streams.
func stdioOptions(t *testing.T, opt sdk.Options, args ...string) sdk.Options {
	t.Helper()
	file := kit.Binary(t)
	opt.URL, opt.SSE, opt.Headers = "", false, nil
	opt.Command, opt.Args, opt.Env = file, args, map[string]string{
		"JUPYTER_SERVER_URL": kit.Jupyter(t).URL, "JUPYTER_TOKEN": kit.Jupyter(t).Token, "LOG_LEVEL": "debug", "NBDUET_ANSWERS": "json", "GORACE": "atexit_sleep_ms=10",
	}
	return opt
}

// typescriptDo calls a tool that must succeed and decodes its answer into out: the structured content, which the SDK has
// checked against the tool's schema, or else the text.
func typescriptDo(t *testing.T, c *sdk.Client, tool string, args map[string]any, out any) *sdk.Answer {
	t.Helper()
	a, err := c.Call(t.Context(), tool, args)
	must.NoError(t, err)
	if a.IsError {
		t.Fatalf("%s answers %s", tool, a.Text())
	}
	said := []byte(a.Structured)
	if said == nil {
		said = []byte(a.Text())
	}
	must.NoError(t, json.Unmarshal(said, out))
	return a
}

// The MCP SDK for TypeScript lists the tools, runs code that plots, and gets the same picture in each available way.
func TestTypeScriptSDK(t *testing.T) {
	full := typescriptStdio(t, "--toolsets=all", "--output-schemas=full")
	tools, err := full.Tools(t.Context())
	must.NoError(t, err)
	for _, tool := range tools {
		_, ok := inspected[tool.Name]
		must.True(t, ok)
		must.SliceNotEmpty(t, tool.OutputSchema)
		test.NotNil(t, tool.Annotations["readOnlyHint"])
	}
	if len(tools) != len(inspected) {
		t.Errorf("%d tools are listed, want %d", len(tools), len(inspected))
	}

	var checked struct{ Sessions []kit.Analysis }
	if typescriptDo(t, full, "session_list", nil, &checked).Structured == nil {
		t.Error("a tool that is listed with its schema answers without structured content")
	}
	// A client that checks answers by the schemas refuses pictures, which come without structured content.
	c := typescriptStdio(t, "--toolsets=all")
	var s kit.Analysis
	typescriptDo(t, c, "session_create", map[string]any{"name": "from TypeScript"}, &s)
	var ran struct {
		kit.CodeResult
		Result *string
	}
	answer := typescriptDo(t, c, "execute_code", map[string]any{"session_id": s.SessionID, "code": kit.Plot + "\n6 * 7"}, &ran)
	must.True(t, ran.Success)
	must.NotNil(t, ran.Result)
	must.Eq(t, "42", *ran.Result)
	must.SliceLen(t, 1, ran.Images)
	uri := ran.Images[0].URI
	at := slices.IndexFunc(answer.Content, func(c sdk.Content) bool { return c.Type == "image" })
	must.GreaterEq(t, 0, at, must.Sprint("the answer shows no picture"))
	must.Eq(t, "image/png", answer.Content[at].MIMEType, must.Sprint("the answer shows no picture"))
	picture := answer.Content[at].Data
	drawn, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(picture)))
	must.NoError(t, err)

	list, err := c.Resources(t.Context())
	must.NoError(t, err)
	if !slices.ContainsFunc(list, func(r sdk.Resource) bool {
		return r.URI == uri && r.MIMEType == "image/png" && r.Size == int64(len(picture)/4*3-strings.Count(picture, "="))
	}) {
		t.Errorf("%s is not among the resources: %+v", uri, list)
	}
	contents, err := c.Read(t.Context(), uri)
	must.NoError(t, err)
	must.SliceLen(t, 1, contents, must.Sprint("the resource is not the picture of the answer"))
	test.Eq(t, uri, contents[0].URI, test.Sprint("the resource is not the picture of the answer"))
	test.Eq(t, "image/png", contents[0].MIMEType, test.Sprint("the resource is not the picture of the answer"))
	test.Eq(t, picture, contents[0].Blob, test.Sprint("the resource is not the picture of the answer"))
	var got struct {
		MIMEType      string `json:"mime_type"`
		Data          string
		Width, Height int
	}
	typescriptDo(t, c, "get_image_resource", map[string]any{"resource_uri": uri}, &got)
	size := drawn.Bounds().Size()
	test.Eq(t, "image/png", got.MIMEType)
	test.Eq(t, picture, got.Data)
	test.Eq(t, size.X, got.Width)
	test.Eq(t, size.Y, got.Height)

	// An error in the code is an answer; a caller's mistake is a tool error with a code.
	typescriptDo(t, c, "execute_code", map[string]any{"session_id": s.SessionID, "code": "1/0"}, &ran)
	if ran.Success {
		t.Error("1/0 went well")
	}
	refusal, err := c.Call(t.Context(), "get_variables", map[string]any{"session_id": "none"})
	must.NoError(t, err)
	test.True(t, refusal.IsError, test.Sprint("an unknown session"))
	test.StrContains(t, refusal.Text(), "session_not_found", test.Sprint("an unknown session"))
	if _, err := c.Read(t.Context(), strings.Replace(uri, ".png", "0.png", 1)); err == nil {
		t.Error("a missing image can be read")
	}
	typescriptDo(t, c, "session_delete", map[string]any{"session_id": s.SessionID}, &struct{}{})
}
