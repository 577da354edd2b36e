package browser

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/chromedp/chromedp"
)

// Width and Height are the size of a tab in pixels.
const (
	Width  = 1280
	Height = 960
)

// Browser is a running headless Chromium.
type Browser struct {
	ctx   context.Context
	stop  context.CancelFunc
	free  context.CancelFunc
	files string
}

// Launch starts the browser that Find finds, with its own profile and home. It runs until Close.
func Launch() (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	files, err := os.MkdirTemp("", "nbduet-browser-")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	alloc, free := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path),
		chromedp.Headless,
		chromedp.NoSandbox, // Chromium's own sandbox does not work for root in a container
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		// The tests look at tabs in the background too.
		chromedp.Flag("disable-background-timer-throttling", true),
		chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.Flag("disable-renderer-backgrounding", true),
		chromedp.WindowSize(Width, Height),
		chromedp.UserDataDir(files+"/profile"),
		chromedp.Env("HOME="+files, "XDG_CONFIG_HOME="+files, "XDG_CACHE_HOME="+files),
	)
	ctx, stop := chromedp.NewContext(alloc)
	b := &Browser{ctx: ctx, stop: stop, free: free, files: files}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), b.Close())
	}
	return b, nil
}

// Close ends the browser with all its tabs and removes its files.
func (b *Browser) Close() error {
	b.stop()
	b.free() // waits for the process
	if err := os.RemoveAll(b.files); err != nil {
		return fmt.Errorf("remove the browser's files: %w", err)
	}
	return nil
}
