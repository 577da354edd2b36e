// Package browser opens JupyterLab in a headless Chromium and does there what
// a person would do: look, click and type.
//
// What a person sees is read from the page (View), what JupyterLab holds is
// read from its model (Model). Nothing is written through the model: every
// change goes through the mouse and the keyboard, so that it takes the way that
// a person's change takes.
//
// Waiting is done from Go with package poll, not in the page, where timers and
// animation frames stall in a hidden tab.
//
// Concurrency: a Browser may be used from any goroutine. A Tab is used by one
// goroutine at a time, as a person has one keyboard. Each Tab has one goroutine
// of its own that collects the page's errors; Close waits for it.
package browser
