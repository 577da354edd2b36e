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

// Content is one content of an answer or a prompt's message: a text, an image
// in base64, a link to a resource, or a resource itself, as Type says.
type Content struct {
	Type, Text     string
	Data, MIMEType string
	URI, Name      string
	Resource       *Contents
}

// Answer is what a tool answered.
type Answer struct {
	// IsError says that the tool refused or failed; the first content says why.
	IsError bool
	Content []Content
	// Structured is nil if absent.
	Structured json.RawMessage `json:"structuredContent"`
}

// Text is the first text of the answer.
func (a *Answer) Text() string {
	for _, c := range a.Content {
		if c.Type == "text" {
			return c.Text
		}
	}
	return ""
}

// Resource is a resource as listed, or a template of some.
type Resource struct {
	URI, URITemplate, Name, Title, Description, MIMEType string
	Size                                                 int64
}

// Contents is what a resource held: Text, or Blob in base64.
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

// PromptMessages are what a prompt has become.
type PromptMessages struct {
	Description string
	Messages    []struct {
		Role    string
		Content Content
	}
}

// Completion is what the server offers to complete an argument with.
type Completion struct {
	Values  []string
	Total   int
	HasMore bool
}

// Tools lists the tools, all pages. From here on the SDK checks each answer by
// the output schema of its tool.
func (c *Client) Tools(ctx context.Context) (tools []Tool, err error) {
	return tools, c.ask(ctx, &tools, "tools")
}

// Call calls a tool. The end of ctx cancels the call.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any) (*Answer, error) {
	return c.call(ctx, tool, args, false)
}

// CallWithProgress is [Client.Call] that asks to be told of the progress, which
// comes as messages `notifications/progress`.
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

// Subscribe asks to be told of changes of a resource, which comes as messages
// `notifications/resources/updated`.
func (c *Client) Subscribe(ctx context.Context, uri string) error {
	return c.ask(ctx, nil, "subscribe", uri)
}

// Unsubscribe takes Subscribe back.
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

// CompletePrompt asks how an argument of a prompt may go on. known are the
// arguments that are there already.
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

// Ping asks the server whether it is there.
func (c *Client) Ping(ctx context.Context) error { return c.ask(ctx, nil, "ping") }

// End tells a server over streamable HTTP that the session is over. The SDK for
// Python does that itself, when it closes.
func (c *Client) End(ctx context.Context) error { return c.ask(ctx, nil, "end") }
