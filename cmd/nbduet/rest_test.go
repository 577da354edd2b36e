package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/shoenig/test/must"
)

// Over REST a tool answers in the form that the flags choose, as over MCP: core in words unless a program may parse it,
// with structured content only where schemas are listed.
func TestRESTAnswers(t *testing.T) {
	clean(t)
	t.Setenv("NBDUET_AUTH_TOKEN", "given-t0ken")
	const words, object = "Give find_tools a name as query", `{"tools":`
	for _, one := range []struct {
		args       []string
		begins     string
		structured bool
	}{
		{nil, words, false},
		{[]string{"--answers=json"}, object, false},
		{[]string{"--output-schemas=lean"}, words, false},
		{[]string{"--output-schemas=full"}, object, true},
		{[]string{"--output-schemas=full", "--answers=text"}, words, true},
	} {
		p := launchHTTP(t, append([]string{"--transport=streamable-http"}, one.args...)...)
		text, structured := called(t, strings.TrimSuffix(p.url, "/mcp"), "given-t0ken", `{"tool_name": "find_tools", "arguments": {"query": "copy a file"}}`)
		if !strings.HasPrefix(text, one.begins) {
			t.Errorf("%v: the text is %.200s", one.args, text)
		}
		if structured != one.structured {
			t.Errorf("%v: with structured content: %v", one.args, structured)
		}
		if code := p.stop(); code != exitOK {
			t.Errorf("%v: exit code %d", one.args, code)
		}
	}
}

// called calls a tool over REST, and returns its first text and whether it has structured content.
func called(t *testing.T, base, token, body string) (text string, structured bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/tools/call", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out struct {
		Success bool
		Result  struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	err = json.NewDecoder(res.Body).Decode(&out)
	must.NoError(t, err, must.Sprint(body))
	must.True(t, out.Success, must.Sprint(body))
	must.SliceNotEmpty(t, out.Result.Content, must.Sprint(body))
	return out.Result.Content[0].Text, out.Result.StructuredContent != nil
}
