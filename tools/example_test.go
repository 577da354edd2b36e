package tools_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/tools"
	"github.com/nbduet/nbduet/tools/deps"
)

// An MCP server with one set of tools, and a client in the same process. Jupyter is contacted only when a tool
// needs it.
func Example() {
	if err := callTool(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// get_base_url
	// get_nb_stat
	// list_available_kernels
	// list_nbs
	// nb_path_from_url
	// read_nb_cells
	// {"original_url":"http://localhost:8888/lab/tree/work/counts.ipynb","base_url":"http://localhost:8888","notebook_path":"work/counts.ipynb"}
}

func callTool(ctx context.Context) error {
	server, err := jupyter.New(jupyter.Options{URL: "http://localhost:8888/lab/", Token: "secret"})
	if err != nil {
		return err
	}
	manager := session.New(session.Config{Server: server})
	defer manager.Close(ctx)
	s, err := tools.New(tools.Config{Work: deps.NewWork(manager), Version: "1.0", Toolsets: []string{"notebook"}, ReadOnly: true})
	if err != nil {
		return err
	}

	c, err := client.NewInProcessClient(s)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return err
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	for _, tool := range list.Tools {
		fmt.Println(tool.Name)
	}

	var call mcp.CallToolRequest
	call.Params.Name = "nb_path_from_url"
	call.Params.Arguments = map[string]any{"url": "http://localhost:8888/lab/tree/work/counts.ipynb"}
	result, err := c.CallTool(ctx, call)
	if err != nil {
		return err
	}
	fmt.Println(mcp.GetTextFromContent(result.Content[0]))
	return nil
}
