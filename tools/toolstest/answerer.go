package toolstest

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// Answerer answers the elicitations of a client.
type Answerer struct {
	Asked  []string
	Answer mcp.ElicitationResponse
	Err    error
}

// Elicit implements client.ElicitationHandler.
func (p *Answerer) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.Asked = append(p.Asked, req.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: p.Answer}, p.Err
}
