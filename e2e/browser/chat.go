package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/poll"
)

// Chat is the chat beside a tab's notebook.
type Chat struct {
	*Tab
}

// ChatMessage is a message on the page. The page shows neither name nor picture if the sender is the person at the tab
// or also sent the previous message.
type ChatMessage struct {
	Sender      string   `json:"sender"`
	Initials    string   `json:"initials"` // in place of a picture
	Avatar      string   `json:"avatar"`   // the address of the picture
	Loaded      bool     `json:"loaded"`   // the picture has loaded
	Text        string   `json:"text"`
	Mentioned   []string `json:"mentioned"`   // highlighted as mentions
	Attachments []string `json:"attachments"` // their labels
}

// CSS selectors of the parts of a chat.
const (
	chatInput    = ".jp-chat-input-textfield textarea:not([aria-hidden])"
	chatBox      = ".jp-chat-input-container"
	chatAttached = chatBox + " .jp-chat-attachment"
)

// OpenChat opens a chat on the right of the notebook.
func (n *Notebook) OpenChat(ctx context.Context, path string) (*Chat, error) {
	return n.openChat(ctx, `"docmanager:open", {path: `+quote(path)+`, factory: "Chat", options: {mode: "split-right"}}`)
}

// OpenSideChat opens a chat in the panel at the side of the page.
func (n *Notebook) OpenSideChat(ctx context.Context, path string) (*Chat, error) {
	return n.openChat(ctx, `"jupyterlab-chat:open", {filepath: `+quote(path)+`, inSidePanel: true}`)
}

func (n *Notebook) openChat(ctx context.Context, command string) (*Chat, error) {
	if _, err := Eval[bool](ctx, n.Tab, `window.jupyterapp.commands.execute(`+command+`).then(() => true)`); err != nil {
		return nil, fmt.Errorf("open the chat: %w", err)
	}
	if err := n.WaitVisible(ctx, chatInput); err != nil {
		return nil, fmt.Errorf("open the chat: %w", err)
	}
	return &Chat{n.Tab}, nil
}

// Type puts the keyboard's focus into the chat's input and types there.
func (c *Chat) Type(ctx context.Context, text string) error {
	if err := c.ClickInto(ctx, chatInput); err != nil {
		return err
	}
	return c.Tab.Type(ctx, text)
}

// Enter presses the Enter key as one event, as keyboards do. [Tab.Press] sends key and character separately, which adds
// a new line if the page handles the key itself.
func (c *Chat) Enter(ctx context.Context) error {
	down := kb.Encode('\r')[0]
	down.Text, down.UnmodifiedText = kb.Enter, kb.Enter
	up := kb.Encode('\r')[2]
	err := c.do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, event := range []*input.DispatchKeyEventParams{down, up} {
			if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
				return err
			}
		}
		return nil
	}))
	if err != nil {
		return fmt.Errorf("press Enter: %w", err)
	}
	return nil
}

// Send sends the text in the chat's input.
func (c *Chat) Send(ctx context.Context) error {
	if err := c.Enter(ctx); err != nil {
		return err
	}
	return poll.Until(ctx, "the message to be sent", c.empty)
}

// Say types a message and sends it.
func (c *Chat) Say(ctx context.Context, text string) error {
	if err := c.Type(ctx, text); err != nil {
		return err
	}
	return c.Send(ctx)
}

// Input returns the text in the chat's input.
func (c *Chat) Input(ctx context.Context) (string, error) {
	return Eval[string](ctx, c.Tab, `document.querySelector(`+quote(chatInput)+`).value`)
}

// Clear empties the chat's input.
func (c *Chat) Clear(ctx context.Context) error {
	if err := c.ClickInto(ctx, chatInput); err != nil {
		return err
	}
	return poll.Until(ctx, "the input to be empty", func(ctx context.Context) error {
		if err := c.Press(ctx, kb.Backspace); err != nil {
			return err
		}
		return c.empty(ctx)
	})
}

// empty returns an error if the chat's input has text.
func (c *Chat) empty(ctx context.Context) error {
	left, err := c.Input(ctx)
	if err == nil && left != "" {
		err = fmt.Errorf("%q", left)
	}
	return err
}

// Offered returns the names that the chat offers to complete the typed text.
func (c *Chat) Offered(ctx context.Context) ([]string, error) {
	return Eval[[]string](ctx, c.Tab, `[...document.querySelectorAll(".jp-chat-command-name")].map(e => e.innerText)`)
}

// Writers returns the chat's line about the people who are writing, or "".
func (c *Chat) Writers(ctx context.Context) (string, error) {
	return Eval[string](ctx, c.Tab, `[...document.querySelectorAll(".jp-chat-writers")]
		.map(e => e.innerText.replace(/\u00A0/g, " ").trim()).join("\n").trim()`)
}

// Messages returns the messages that the chat shows.
func (c *Chat) Messages(ctx context.Context) ([]ChatMessage, error) {
	return Eval[[]ChatMessage](ctx, c.Tab, `[...document.querySelectorAll(".jp-chat-message")].map(m => {
		const texts = from => [...m.querySelectorAll(from)].map(e => e.innerText.trim())
		const header = m.querySelector(".jp-chat-message-header")
		const face = header?.querySelector(".MuiAvatar-root")
		const picture = face?.querySelector("img")
		return {
			sender: [...header?.querySelectorAll("p") ?? []]
				.find(p => !p.closest(".MuiAvatar-root") && !p.matches(".jp-chat-message-time"))?.innerText ?? "",
			initials: face?.innerText ?? "", avatar: picture?.src ?? "", loaded: (picture?.naturalWidth ?? 0) > 0,
			text: texts(".jp-chat-rendered-message").join("\n"),
			mentioned: texts(".jp-chat-mention"),
			attachments: texts(".jp-chat-attachment"),
		}
	})`)
}

// AttachCell drags the cell at index, which must be in the visible part of the page, into the chat's input.
func (c *Chat) AttachCell(ctx context.Context, index int) error {
	cell := fmt.Sprintf(`.jp-Notebook-cell[data-windowed-list-index="%d"] .jp-InputPrompt`, index)
	if err := c.do(ctx, chromedp.DragAndDrop(chromedp.CSS(cell), chromedp.CSS(chatBox))); err != nil {
		return fmt.Errorf("drag cell %d into the chat: %w", index, err)
	}
	return c.WaitVisible(ctx, chatAttached)
}

// OpenAttachment clicks on the last attachment of the chat's messages.
func (c *Chat) OpenAttachment(ctx context.Context) error {
	return c.Click(ctx, `.jp-chat-message:last-child .jp-chat-attachment-clickable`)
}
