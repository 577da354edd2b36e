package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// Tools without MCP, in the form of the Jupyter extension of Datalayer's server: a list, and one call at a time.

// ask sends a request of the context's client to the MCP server.
func (s *Server) ask(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, *mcp.JSONRPCErrorDetails, error) {
	message, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": 1, "method": method, "params": params})
	if err != nil {
		return nil, nil, fmt.Errorf("write the request: %w", err)
	}
	answer, err := json.Marshal(s.cfg.MCP.HandleMessage(ctx, message))
	if err != nil {
		return nil, nil, fmt.Errorf("write the answer: %w", err)
	}
	var got struct {
		Result json.RawMessage          `json:"result"`
		Error  *mcp.JSONRPCErrorDetails `json:"error"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, nil, fmt.Errorf("read the answer: %w", err)
	}
	return got.Result, got.Error, nil
}

// listTools lists all tools: {"tools": […], "count": 41}. Each has its schema as inputSchema, and as parameters.
func (s *Server) listTools(w http.ResponseWriter, r *http.Request) {
	s.withPrincipal(w, r, func(r *http.Request) { s.writeTools(w, r) })
}

func (s *Server) writeTools(w http.ResponseWriter, r *http.Request) {
	result, failed, err := s.ask(r.Context(), mcp.MethodToolsList, map[string]any{})
	var list struct {
		Tools []json.RawMessage `json:"tools"`
		Count int               `json:"count"`
	}
	if err == nil && failed == nil {
		err = json.Unmarshal(result, &list)
	}
	for i := range list.Tools {
		if err == nil {
			list.Tools[i], err = withParameters(list.Tools[i])
		}
	}
	if err != nil || failed != nil {
		s.log.Error("the tools could not be listed", "error", err, "answer", failed)
		Refuse(w, http.StatusInternalServerError, "the tools could not be listed")
		return
	}
	list.Count = len(list.Tools)
	WriteJSON(w, http.StatusOK, list)
}

// withParameters adds a tool's inputSchema again as parameters, the name that programs written for Datalayer's list expect.
func withParameters(tool json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(tool, &fields); err != nil {
		return nil, fmt.Errorf("read a tool: %w", err)
	}
	fields["parameters"] = fields["inputSchema"]
	return json.Marshal(fields)
}

// toolCall is the body of a call.
type toolCall struct {
	ToolName   string         `json:"tool_name"`
	Name       string         `json:"name"` // another name for tool_name
	Arguments  map[string]any `json:"arguments"`
	Parameters map[string]any `json:"parameters"` // another name for arguments
}

// toolOutcome is the answer to a call.
type toolOutcome struct {
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result,omitempty"` // MCP's result: content, structuredContent
	Error   string          `json:"error,omitempty"`
}

// callTool calls a tool. If the tool itself fails or refuses, the status is 200 with success false, because the call
// was made.
func (s *Server) callTool(w *writer, r *http.Request, body []byte) {
	var call toolCall
	if err := json.Unmarshal(body, &call); err != nil {
		WriteJSON(w, http.StatusBadRequest, toolOutcome{Error: `wrong body: send {"tool_name": "…", "arguments": {…}}`})
		return
	}
	r.Body = http.NoBody // the long text is in memory once while the tool works
	call.ToolName = cmp.Or(call.ToolName, call.Name)
	if call.Arguments == nil {
		call.Arguments = call.Parameters
	}
	switch {
	case call.ToolName == "":
		WriteJSON(w, http.StatusBadRequest, toolOutcome{Error: "tool_name is required"})
		return
	case s.cfg.MCP.GetTool(call.ToolName) == nil:
		s.withPrincipal(w, r, func(r *http.Request) { s.writeUnknown(w, r, call) })
		return
	}
	s.withPrincipal(w, r, func(r *http.Request) { s.writeCall(w, r, call) })
}

// writeUnknown answers a call of a tool that does not exist with the MCP server's error.
func (s *Server) writeUnknown(w http.ResponseWriter, r *http.Request, call toolCall) {
	why := fmt.Sprintf("unknown tool %q", call.ToolName)
	if _, failed, err := s.ask(r.Context(), mcp.MethodToolsCall, map[string]any{"name": call.ToolName}); err == nil && failed != nil {
		why += ": " + failed.Message
	}
	WriteJSON(w, http.StatusNotFound, toolOutcome{Error: why})
}

func (s *Server) writeCall(w http.ResponseWriter, r *http.Request, call toolCall) {
	result, failed, err := s.ask(r.Context(), mcp.MethodToolsCall, map[string]any{"name": call.ToolName, "arguments": call.Arguments})
	if err != nil || failed != nil {
		out := toolOutcome{Error: "internal error"}
		if failed != nil {
			out.Error = failed.Message
		}
		WriteJSON(w, http.StatusInternalServerError, out)
		return
	}
	var said struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &said); err != nil {
		WriteJSON(w, http.StatusInternalServerError, toolOutcome{Error: "internal error"})
		return
	}
	out := toolOutcome{Success: !said.IsError, Result: result}
	if said.IsError && len(said.Content) > 0 {
		out.Error = said.Content[0].Text
	}
	WriteJSON(w, http.StatusOK, out)
}
