package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nbduet/nbduet/e2e/poll"
)

// Notebook is a notebook that is open in its own tab.
type Notebook struct {
	*Tab
}

// ModelCell is a cell as JupyterLab's shared model holds it.
type ModelCell struct {
	ID             string           `json:"id"`
	Type           string           `json:"type"`
	Source         string           `json:"source"`
	ExecutionCount *int             `json:"executionCount"`
	ExecutionState string           `json:"executionState"`
	Outputs        []map[string]any `json:"outputs"`
}

// ViewCell is a cell as the page shows it. Cells far outside the visible part are not in the page and have Shown false.
type ViewCell struct {
	Shown   bool         `json:"shown"`
	Prompt  string       `json:"prompt"` // such as "[*]:"; empty for text cells
	Source  string       `json:"source"` // the editor's lines, or the rendered text
	Outputs []ViewOutput `json:"outputs"`
}

// ViewOutput is one output as the page shows it.
type ViewOutput struct {
	Type  string `json:"type"`  // the rendered MIME type
	Text  string `json:"text"`  // its visible text
	Width int    `json:"width"` // of its image in pixels; 0 before it has loaded
	Rows  int    `json:"rows"`  // of its table
}

// current is the notebook panel in the page, even while a panel beside it is in front. The question marks make the page
// report the missing part instead of failing on an undefined value.
const current = `(shell => shell?.currentWidget?.hasClass("jp-NotebookPanel") ? shell.currentWidget
	: [...shell?.widgets("main") ?? []].find(w => w.hasClass("jp-NotebookPanel")))(window.jupyterapp?.shell)`

// OpenNotebook opens a page of JupyterLab that shows one notebook (see lab.Lab.PageURL) in a new tab, and waits until
// the notebook is shown and its kernel is idle.
func (b *Browser) OpenNotebook(ctx context.Context, pageURL string) (*Notebook, error) {
	tab, err := b.OpenTab()
	if err != nil {
		return nil, err
	}
	n := &Notebook{tab}
	if err := n.Load(ctx, pageURL); err != nil {
		tab.Close()
		return nil, fmt.Errorf("open the notebook: %w", err)
	}
	return n, nil
}

// Load loads a notebook's address in the tab, and waits until the notebook is ready.
func (n *Notebook) Load(ctx context.Context, pageURL string) error {
	if err := n.do(ctx, chromedp.Navigate(pageURL)); err != nil {
		return err
	}
	err := poll.Until(ctx, "the notebook to be in the page", func(ctx context.Context) error {
		state, err := Eval[string](ctx, n.Tab, `(() => {
			const dialog = document.querySelector(".jp-Dialog");
			if (dialog) {
				// On a busy machine JupyterLab asks whether to go on waiting.
				[...dialog.querySelectorAll("button")].find(b => b.innerText.includes("Continue waiting"))?.click();
				return "a dialog: " + dialog.innerText;
			}
			const panel = `+current+`;
			if (!panel?.context) return "no document";
			if (!panel.context.isReady) return "the document is not ready";
			if (!panel.content?.widgets?.length) return "no cells";
			if (!document.querySelector(".jp-Notebook-cell")) return "no cells in the page";
			return "";
		})()`)
		return problem(state, err)
	})
	if err != nil {
		return err
	}
	return n.WaitKernel(ctx)
}

// WaitKernel waits until the kernel is idle and the tab receives its messages.
//
// The tab's own status is not enough. A kernel that was just restarted through the server still counts as idle there,
// and the tab's connection to a new process may deliver replies some 100 ms before published messages. If those are
// lost, a cell that is run in that moment shows as busy for ever, or the kernel as "starting" or "unknown" until a cell
// has run. So the tab sends requests to the kernel until it gets both the reply and the published end of one.
func (n *Notebook) WaitKernel(ctx context.Context) error {
	return poll.Until(ctx, "the kernel to be heard in the tab, and not busy", func(ctx context.Context) error {
		problem, err := Eval[string](ctx, n.Tab, `(async () => {
			const kernel = `+current+`.sessionContext.session?.kernel;
			if (!kernel) return "no kernel";
			if (kernel.connectionStatus !== "connected") return kernel.connectionStatus;
			const unheard = new Promise(resolve => setTimeout(resolve, 1000, "no whole answer in a second"));
			const heard = kernel.requestKernelInfo().then(() => "", problem => String(problem));
			const problem = await Promise.race([heard, unheard]);
			return problem || (["busy", "dead"].includes(kernel.status) ? kernel.status : "");
		})()`)
		if err == nil && problem != "" {
			err = errors.New(problem)
		}
		return err
	})
}

// KernelName is the name of the kernel as the notebook's toolbar shows it.
func (n *Notebook) KernelName(ctx context.Context) (string, error) {
	return Eval[string](ctx, n.Tab, current+`.node.querySelector(".jp-Toolbar .jp-KernelName")?.innerText.trim() ?? ""`)
}

// Dialog returns the text of the page's open dialog, or "".
func (n *Notebook) Dialog(ctx context.Context) (string, error) {
	return Eval[string](ctx, n.Tab, `document.querySelector(".jp-Dialog")?.innerText ?? ""`)
}

// Model reads the cells from JupyterLab's shared model.
func (n *Notebook) Model(ctx context.Context) ([]ModelCell, error) {
	return Eval[[]ModelCell](ctx, n.Tab, current+`.content.widgets.map(w => {
		const m = w.model.sharedModel;
		const cell = m.toJSON();
		return {
			id: m.getId(), type: m.cell_type, source: m.getSource(),
			executionCount: m.execution_count ?? null, executionState: m.executionState ?? "",
			outputs: cell.outputs ?? [],
		};
	})`)
}

// View reads the cells from the page as a person sees them.
func (n *Notebook) View(ctx context.Context) ([]ViewCell, error) {
	return Eval[[]ViewCell](ctx, n.Tab, current+`.content.widgets.map((w, i) => {
		const node = document.querySelector('.jp-Notebook-cell[data-windowed-list-index="' + i + '"]');
		if (!node) return {shown: false, prompt: "", source: "", outputs: []};
		const lines = [...node.querySelectorAll(".jp-Cell-inputArea .cm-content .cm-line")].map(l => l.textContent);
		return {
			shown: true,
			prompt: node.querySelector(".jp-InputPrompt")?.innerText.trim() ?? "",
			source: lines.length ? lines.join("\n") : (node.querySelector(".jp-MarkdownOutput")?.innerText ?? ""),
			outputs: [...node.querySelectorAll(".jp-OutputArea-output")].map(o => ({
				type: o.dataset.mimeType ?? "",
				text: o.innerText,
				width: o.querySelector("img")?.naturalWidth ?? 0,
				rows: o.querySelectorAll("tbody tr").length,
			})),
		};
	})`)
}

// WaitView waits until check accepts the page's cells.
func (n *Notebook) WaitView(ctx context.Context, what string, check func([]ViewCell) error) error {
	return poll.Until(ctx, what, func(ctx context.Context) error {
		cells, err := n.View(ctx)
		if err != nil {
			return err
		}
		return check(cells)
	})
}

// EditCell puts the keyboard's focus and the caret at the end of the source of
// the cell at index, which must be in the visible part of the page.
func (n *Notebook) EditCell(ctx context.Context, index int) error {
	cell := fmt.Sprintf(`.jp-Notebook-cell[data-windowed-list-index="%d"]`, index)
	err := n.ClickInto(ctx, cell+" .cm-content")
	if err != nil {
		return fmt.Errorf("edit cell %d: %w", index, err)
	}
	return n.Press(ctx, kb.End, kb.ModifierCtrl)
}

// Scroll brings the end of the cell at index into the visible part of the page.
func (n *Notebook) Scroll(ctx context.Context, index int) error {
	_, err := Eval[bool](ctx, n.Tab, fmt.Sprintf(`%s.content.scrollToItem(%d, "end").then(() => true)`, current, index))
	return err
}

// Top brings the beginning of the notebook into the visible part of the page.
func (n *Notebook) Top(ctx context.Context) error {
	_, err := Eval[bool](ctx, n.Tab, fmt.Sprintf(`(async () => {
		const list = %s.content
		await list.scrollToItem(0, "start")
		list.outerNode.scrollTop = 0
		await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))
		return true
	})()`, current))
	return err
}

// Collaborators opens the panel that names the people and agents at work and the files that each has open, and returns
// its entries.
func (n *Notebook) Collaborators(ctx context.Context) ([]string, error) {
	// An entry may disappear between the lookup and the click, which would then wait for another one.
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	open, err := Eval[bool](ctx, n.Tab, `!!document.querySelector(".jp-CollaboratorsList")?.checkVisibility()`)
	if err != nil {
		return nil, err
	}
	if !open {
		if err := n.Click(ctx, `.jp-SideBar [data-id="jp-collaboration-panel"]`); err != nil {
			return nil, err
		}
		// Another click would close it again.
		if err := n.WaitVisible(ctx, ".jp-CollaboratorsList"); err != nil {
			return nil, err
		}
	}
	// An entry is folded at first.
	const folded = `.jp-CollaboratorsList .jp-ClickableCollaborator:has(.jp-CollaboratorHeaderCollapser:not(.jp-mod-expanded))`
	more, err := Eval[bool](ctx, n.Tab, `!!document.querySelector(`+quote(folded)+`)`)
	if err != nil {
		return nil, err
	}
	if more {
		if err := n.Click(ctx, folded); err != nil {
			return nil, err
		}
	}
	return Eval[[]string](ctx, n.Tab, `[...document.querySelectorAll(".jp-CollaboratorsList .jp-Collaborator")]
		.map(e => e.innerText.trim().replace(/\s+/g, " "))`)
}

// problem turns the page's report into an error; an empty report is nil.
func problem(seen string, err error) error {
	if err == nil && strings.TrimSpace(seen) != "" {
		return errors.New(seen)
	}
	return err
}
