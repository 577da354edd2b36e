package sdk

import (
	"context"
	"encoding/json"
)

// Tool is a tool as listed.
type Tool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]any
}

// Content is one content of an answer or of a prompt's message: depending on Type, a text, an image in base64, a link to
// a resource, or a resource itself.
type Content struct {
	Type, Text     string
	Data, MIMEType string
	URI, Name      string
	Resource       *Contents
}

// Answer is a tool's answer.
type Answer struct {
	// IsError reports that the tool refused or failed; the first content is the reason.
	IsError bool
	Content []Content
	// Structured is nil if absent.
	Structured json.RawMessage `json:"structuredContent"`
}

// Text returns the first text of the answer.
func (a *Answer) Text() string {
	for _, c := range a.Content {
		if c.Type == "text" {
			return c.Text
		}
	}
	return ""
}

// Resource is a listed resource, or a template.
type Resource struct {
	URI, URITemplate, Name, Title, Description, MIMEType string
	Size                                                 int64
}

// Contents is the content of a resource: Text, or Blob in base64.
type Contents struct {
	URI, MIMEType, Text, Blob string
	Meta                      map[string]any `json:"_meta"`
}

// Prompt is a prompt as listed.
type Prompt struct {
	Name, Title, Description string
	Arguments                []struct {
		Name, Description string
		Required          bool
	}
}

// PromptMessages are the messages of a filled-in prompt.
type PromptMessages struct {
	Description string
	Messages    []struct {
		Role    string
		Content Content
	}
}

// Completion has the server's completions of an argument.
type Completion struct {
	Values  []string
	Total   int
	HasMore bool
}

// Tools lists the tools, all pages. Afterwards the SDK checks each answer against the output schema of its tool.
func (c *Client) Tools(ctx context.Context) (tools []Tool, err error) {
	return tools, c.ask(ctx, &tools, "tools")
}

// Call calls a tool. The end of ctx cancels the call.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (*Answer, error) {
	return c.call(ctx, tool, args, false)
}

// CallWithProgress is [Client.Call] with a request for progress, which comes as messages `notifications/progress`.
func (c *Client) CallWithProgress(ctx context.Context, tool string, args map[string]any) (*Answer, error) {
	return c.call(ctx, tool, args, true)
}

func (c *Client) call(ctx context.Context, tool string, args map[string]any, progress bool) (*Answer, error) {
	if args == nil {
		args = map[string]any{}
	}
	a := &Answer{}
	if err := c.ask(ctx, a, "call", tool, args, progress); err != nil {
		return nil, err
	}
	return a, nil
}

// Resources lists the resources, all pages.
func (c *Client) Resources(ctx context.Context) (list []Resource, err error) {
	return list, c.ask(ctx, &list, "resources")
}

// Templates lists the templates of resources, all pages.
func (c *Client) Templates(ctx context.Context) (list []Resource, err error) {
	return list, c.ask(ctx, &list, "templates")
}

// Read reads a resource.
func (c *Client) Read(ctx context.Context, uri string) (list []Contents, err error) {
	return list, c.ask(ctx, &list, "read", uri)
}

// Subscribe subscribes to changes of a resource, which come as messages `notifications/resources/updated`.
func (c *Client) Subscribe(ctx context.Context, uri string) error {
	return c.ask(ctx, nil, "subscribe", uri)
}

// Unsubscribe ends the subscription.
func (c *Client) Unsubscribe(ctx context.Context, uri string) error {
	return c.ask(ctx, nil, "unsubscribe", uri)
}

// Prompts lists the prompts, all pages.
func (c *Client) Prompts(ctx context.Context) (list []Prompt, err error) {
	return list, c.ask(ctx, &list, "prompts")
}

// Prompt gets a prompt with its arguments filled in.
func (c *Client) Prompt(ctx context.Context, name string, args map[string]string) (messages PromptMessages, err error) {
	return messages, c.ask(ctx, &messages, "prompt", name, args)
}

// CompletePrompt requests completions of a prompt's argument. known has the other arguments so far.
func (c *Client) CompletePrompt(ctx context.Context, prompt, argument, value string, known map[string]string) (Completion, error) {
	return c.complete(ctx, map[string]any{"type": "ref/prompt", "name": prompt}, argument, value, known)
}

// CompleteTemplate is CompletePrompt for a variable of a resource template.
func (c *Client) CompleteTemplate(ctx context.Context, template, variable, value string, known map[string]string) (Completion, error) {
	return c.complete(ctx, map[string]any{"type": "ref/resource", "uri": template}, variable, value, known)
}

func (c *Client) complete(ctx context.Context, ref map[string]any, argument, value string, known map[string]string) (out Completion, err error) {
	var more map[string]any
	if known != nil {
		more = map[string]any{"arguments": known}
	}
	return out, c.ask(ctx, &out, "complete", ref, map[string]string{"name": argument, "value": value}, more)
}

// Ping pings the server.
func (c *Client) Ping(ctx context.Context) error { return c.ask(ctx, nil, "ping") }

// End ends the session on a server over streamable HTTP. The SDK for Python does that itself in Close.
func (c *Client) End(ctx context.Context) error { return c.ask(ctx, nil, "end") }
