package browser

import "context"

// DisplayName returns the name that others see for the person at the tab.
func (n *Notebook) DisplayName(ctx context.Context) (string, error) {
	return Eval[string](ctx, n.Tab, current+`.context.model.sharedModel.awareness.getLocalState()?.user?.display_name ?? ""`)
}

// CallThemselves gives the person at the tab a name and a color, as a server with logins does.
func (n *Notebook) CallThemselves(ctx context.Context, name, color string) error {
	_, err := Eval[bool](ctx, n.Tab, `(awareness => {
		const user = {...awareness.getLocalState().user, name: `+quote(name)+`, display_name: `+quote(name)+`, initials: `+quote(name[:1])+`, color: `+quote(color)+`}
		awareness.setLocalStateField("user", user)
		return true
	})(`+current+`.context.model.sharedModel.awareness)`)
	return err
}

// InView reports whether a part of the cell with that id is in the visible part of the page.
func (n *Notebook) InView(ctx context.Context, id string) (bool, error) {
	return Eval[bool](ctx, n.Tab, `(() => {
		const cell = `+current+`.content.widgets.find(w => w.model.sharedModel.getId() === `+quote(id)+`)
		const page = `+current+`.content.node.getBoundingClientRect()
		if (!cell?.isVisible || !cell.node.isConnected) return false
		const {top, bottom, height} = cell.node.getBoundingClientRect()
		return height > 0 && bottom > page.top && top < page.bottom
	})()`)
}

// Rendered returns the visible text of the Markdown cell with that id; it is empty while the cell is not rendered.
func (n *Notebook) Rendered(ctx context.Context, id string) (string, error) {
	return Eval[string](ctx, n.Tab, `(() => {
		const cell = `+current+`.content.widgets.find(w => w.model.sharedModel.getId() === `+quote(id)+`)
		const output = cell?.node.querySelector(".jp-MarkdownOutput")
		return output?.checkVisibility() ? output.innerText : ""
	})()`)
}

// Flag is how a tab names the owner of a caret.
type Flag struct {
	Name   string `json:"name"`
	Avatar string `json:"avatar"` // the address of the picture
	Loaded bool   `json:"loaded"` // the picture has loaded
}

// Flags returns the flags at other people's carets. The flag of an unmoved caret stays in the page, unseen after 2 s.
func (n *Notebook) Flags(ctx context.Context) ([]Flag, error) {
	return Eval[[]Flag](ctx, n.Tab, `[...document.querySelectorAll(".jp-remote-userFlag")].map(flag => {
		const picture = flag.querySelector(".jp-remote-userFlag-avatar img")
		return {
			name: flag.querySelector(".jp-remote-userFlag-name")?.textContent ?? "",
			avatar: picture?.src ?? "", loaded: (picture?.naturalWidth ?? 0) > 0,
		}
	})`)
}

// Carets returns the number of other people's carets in the cell with that id.
func (n *Notebook) Carets(ctx context.Context, id string) (int, error) {
	return Eval[int](ctx, n.Tab, current+`.content.widgets.find(w => w.model.sharedModel.getId() === `+quote(id)+`)
		?.node.querySelectorAll(".jp-remote-cursor").length ?? 0`)
}
