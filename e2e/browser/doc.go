// Package browser opens JupyterLab in a headless Chromium and acts there as a person would: it looks, clicks and types.
//
// View reads the page as a person sees it, Model reads JupyterLab's model. Nothing is written through the model: every
// change goes through the mouse and the keyboard, as a person's change does.
//
// Package poll waits in Go, not in the page, where timers and animation frames stall in a hidden tab.
//
// Concurrency: a Browser may be used from any goroutine. A Tab is used by one goroutine at a time, as a person has one
// keyboard. Each Tab has a goroutine that collects the page's errors; Close waits for it.
package browser
