package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/tool"
)

// The tools are served over HTTP, and one is called without MCP: first without a token, then with it.
func Example() {
	if err := callOverHTTP(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 401 Unauthorized
	// 200 OK
}

func callOverHTTP(ctx context.Context) error {
	notebooks, err := jupyter.New(jupyter.Options{URL: "http://localhost:8888"})
	if err != nil {
		return err
	}
	manager := session.New(session.Config{Server: notebooks})
	defer manager.Close(ctx)
	clients := &tool.Clients{} // the transport tells the tools about them
	mcp, err := tools.New(tools.Config{Work: deps.NewWork(manager), Version: "1.0", Clients: clients})
	if err != nil {
		return err
	}
	token := serve.NewToken()
	handler, err := serve.New(serve.Config{MCP: mcp, Clients: clients, Tokens: []string{token}})
	if err != nil {
		return err
	}

	site := httptest.NewServer(handler)
	defer site.Close()
	for _, authorization := range []string{"", "Bearer " + token} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, site.URL+"/tools/call", strings.NewReader(`{"tool_name": "get_base_url", "arguments": {}}`))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", authorization)
		resp, err := site.Client().Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		fmt.Println(resp.Status)
	}
	return nil
}
