// Package hosts has test doubles of the programs that pass answers of tools to a model: each treats a result like the
// programs named beside it, so that a test sees the model's view.
package hosts

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Host is a way to pass answers of tools to a model.
type Host struct {
	Name string
	// Pictures says whether the model sees images, and Late that it sees them one turn after the answer.
	Pictures, Late bool
	// texts and pictures return the parts of a result that the model receives.
	texts    func(res *mcp.CallToolResult) []string
	pictures func(res *mcp.CallToolResult) []mcp.ImageContent
}

// All returns all known hosts.
func All() []Host {
	return []Host{
		// Claude Code, VS Code and Codex (anthropics/claude-code 54737 and 55677, microsoft/vscode 290063): if there is
		// structured content, only its JSON; the content is lost, images too.
		{Name: "structured replaces", Pictures: true, texts: structuredOr(contentTexts), pictures: unlessStructured},
		// Copilot: both.
		{Name: "both", Pictures: true, texts: structuredAnd(contentTexts), pictures: contentPictures},
		// The SDKs' own clients.
		{Name: "content only", Pictures: true, texts: contentTexts, pictures: contentPictures},
		// Claude Desktop (anthropics/claude-ai-mcp 643): the images come with the next turn.
		{Name: "pictures a turn late", Pictures: true, Late: true, texts: contentTexts, pictures: contentPictures},
		// Hosts of models without vision.
		{Name: "text only", texts: contentTexts, pictures: func(*mcp.CallToolResult) []mcp.ImageContent { return nil }},
	}
}

// Seen is a model's input in one turn.
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

// Turn returns the model's next input: the answer of a tool, nil for a turn without one.
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

// structured returns the JSON of the structured content, if there is any.
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
