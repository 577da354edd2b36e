// Package hosts has doubles of the programs that give a model what tools answer: each does with a result what the
// programs named beside it do, so that a test sees what their models see.
package hosts

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Host is a way to give a model what a tool answers.
type Host struct {
	Name string
	// Pictures says whether the model sees pictures at all, and Late that it sees them one turn after the answer.
	Pictures, Late bool
	// texts and pictures are what the model gets of a result.
	texts    func(res *mcp.CallToolResult) []string
	pictures func(res *mcp.CallToolResult) []mcp.ImageContent
}

// All are the ways that there are.
func All() []Host {
	return []Host{
		// Claude Code, VS Code and Codex (anthropics/claude-code 54737 and 55677, microsoft/vscode 290063): where there is
		// structured content, its JSON alone, and what stands in the content is gone, pictures too.
		{Name: "structured replaces", Pictures: true, texts: structuredOr(contentTexts), pictures: unlessStructured},
		// Copilot: both.
		{Name: "both", Pictures: true, texts: structuredAnd(contentTexts), pictures: contentPictures},
		// The SDKs' own clients.
		{Name: "content only", Pictures: true, texts: contentTexts, pictures: contentPictures},
		// Claude Desktop (anthropics/claude-ai-mcp 643): the pictures come with the next turn.
		{Name: "pictures a turn late", Pictures: true, Late: true, texts: contentTexts, pictures: contentPictures},
		// Hosts of models without eyes.
		{Name: "text only", texts: contentTexts, pictures: func(*mcp.CallToolResult) []mcp.ImageContent { return nil }},
	}
}

// Seen is what a model gets in one turn.
type Seen struct {
	Text     string
	Pictures []mcp.ImageContent
}

// A Chat is a model's conversation in a host.
type Chat struct {
	Host
	late []mcp.ImageContent
}

// Chat begins a conversation.
func (h Host) Chat() *Chat { return &Chat{Host: h} }

// Turn is what the model gets next: the answer of a tool, nil for a turn without one.
func (c *Chat) Turn(res *mcp.CallToolResult) Seen {
	var now Seen
	if c.Late {
		now.Pictures, c.late = c.late, nil
	}
	if res == nil {
		return now
	}
	now.Text = strings.Join(c.texts(res), "\n")
	if c.Late {
		c.late = c.pictures(res)
	} else {
		now.Pictures = c.pictures(res)
	}
	return now
}

func contentTexts(res *mcp.CallToolResult) (out []string) {
	for _, c := range res.Content {
		if t, ok := c.(mcp.TextContent); ok {
			out = append(out, t.Text)
		}
	}
	return out
}

func contentPictures(res *mcp.CallToolResult) (out []mcp.ImageContent) {
	for _, c := range res.Content {
		if p, ok := c.(mcp.ImageContent); ok {
			out = append(out, p)
		}
	}
	return out
}

// structured is the JSON of the structured content, if there is any.
func structured(res *mcp.CallToolResult) (text string, ok bool) {
	if res.StructuredContent == nil {
		return "", false
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return err.Error(), true
	}
	return string(b), true
}

func structuredOr(texts func(*mcp.CallToolResult) []string) func(*mcp.CallToolResult) []string {
	return func(res *mcp.CallToolResult) []string {
		if text, ok := structured(res); ok {
			return []string{text}
		}
		return texts(res)
	}
}

func structuredAnd(texts func(*mcp.CallToolResult) []string) func(*mcp.CallToolResult) []string {
	return func(res *mcp.CallToolResult) []string {
		if text, ok := structured(res); ok {
			return append([]string{text}, texts(res)...)
		}
		return texts(res)
	}
}

func unlessStructured(res *mcp.CallToolResult) []mcp.ImageContent {
	if _, ok := structured(res); ok {
		return nil
	}
	return contentPictures(res)
}
