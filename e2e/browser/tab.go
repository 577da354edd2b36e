package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/nbduet/nbduet/e2e/poll"
)

// Tab is one tab with its own cookies: to JupyterLab each Tab is another person.
type Tab struct {
	ctx  context.Context
	stop context.CancelFunc
	done chan struct{} // closed when the collector has ended

	mu     sync.Mutex
	errors []string
}

// OpenTab opens an empty tab.
func (b *Browser) OpenTab() (*Tab, error) {
	ctx, stop := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t := &Tab{ctx: ctx, stop: stop, done: make(chan struct{})}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(Width, Height)); err != nil {
		stop()
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	console := chromedp.Console(ctx)
	go func() {
		defer close(t.done)
		for message, err := range console {
			if err != nil {
				return // the tab was closed
			}
			if message.IsException() {
				t.mu.Lock()
				t.errors = append(t.errors, message.Text)
				t.mu.Unlock()
			}
		}
	}()
	return t, nil
}

// Close closes the tab, as a person would, and waits until it is gone.
func (t *Tab) Close() {
	t.stop()
	<-t.done
}

// Errors returns the page's uncaught exceptions so far.
func (t *Tab) Errors() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.errors...)
}

// do runs actions in the tab; the context limits them without ending the tab.
func (t *Tab) do(ctx context.Context, actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := t.join(ctx)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

// join returns a context of the tab that ends with ctx as well.
func (t *Tab) join(ctx context.Context) (context.Context, context.CancelFunc) {
	joined, cancel := context.WithCancelCause(t.ctx)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return joined, func() { stop(); cancel(context.Canceled) }
}

// Eval evaluates a JavaScript expression in the page, awaits it if it is a promise, and decodes its value.
func Eval[T any](ctx context.Context, t *Tab, expression string) (T, error) {
	ctx, cancel := t.join(ctx)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return value, fmt.Errorf("evaluate in the page: %w", err)
	}
	return value, nil
}

// Click clicks into the middle of the first element that the CSS selector
// matches, once it is visible.
func (t *Tab) Click(ctx context.Context, selector string) error {
	ctx, cancel := context.WithTimeout(ctx, poll.Patience)
	defer cancel()
	if err := t.do(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); err != nil {
		return fmt.Errorf("click on %s: %w", selector, err)
	}
	return nil
}

// ClickInto clicks on the first element that the CSS selector matches until the element has the focus. The page may move
// between lookup and click, for example after an insertion; a click that misses is repeated.
func (t *Tab) ClickInto(ctx context.Context, selector string) error {
	focused := func(ctx context.Context) error {
		where, err := Eval[string](ctx, t, `(a => a?.closest(`+quote(selector)+`) ? "" : a?.className || a?.tagName || "nothing")(document.activeElement)`)
		if err == nil && where != "" {
			err = fmt.Errorf("it is in %s", where)
		}
		return err
	}
	return poll.Until(ctx, "the focus in "+selector, func(ctx context.Context) error {
		if err := t.Click(ctx, selector); err != nil {
			return err
		}
		soon, stop := context.WithTimeout(ctx, 3*time.Second)
		defer stop()
		return poll.Until(soon, "the focus", focused)
	})
}

// WaitVisible waits until an element that the CSS selector matches is visible.
func (t *Tab) WaitVisible(ctx context.Context, selector string) error {
	ctx, cancel := context.WithTimeout(ctx, poll.Patience)
	defer cancel()
	if err := t.do(ctx, chromedp.WaitVisible(chromedp.CSS(selector))); err != nil {
		return fmt.Errorf("wait for %s: %w", selector, err)
	}
	return nil
}

// Type presses and releases the keys for each character of text, wherever the focus is.
func (t *Tab) Type(ctx context.Context, text string) error {
	if err := t.do(ctx, chromedp.KeyEvent(text)); err != nil {
		return fmt.Errorf("type %q: %w", text, err)
	}
	return nil
}

// Press presses one key (a constant of chromedp's package kb) with modifiers.
func (t *Tab) Press(ctx context.Context, key string, modifiers ...chromedp.Modifier) error {
	if err := t.do(ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...))); err != nil {
		return fmt.Errorf("press %q: %w", key, err)
	}
	return nil
}

// Resize sets the tab's size in pixels.
func (t *Tab) Resize(ctx context.Context, width, height int64) error {
	if err := t.do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		return fmt.Errorf("resize the tab: %w", err)
	}
	return nil
}

// Screenshot writes a PNG of the tab into a file, making its folder.
func (t *Tab) Screenshot(ctx context.Context, file string) error {
	ctx, cancel := t.join(ctx)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return fmt.Errorf("take a screenshot: %w", err)
	}
	return errors.Join(
		os.MkdirAll(filepath.Dir(file), 0o755),
		os.WriteFile(file, png, 0o644),
	)
}

// quote makes a JavaScript string literal.
func quote(s string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "${", "\\${").Replace(s) + "`"
}
