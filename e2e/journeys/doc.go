// Package journeys tests the most common uses of nbduet, at most twelve, each through the built program, a real
// JupyterLab and other observers: a member of the room made with pycrdt, the file on disk, and in one of them a browser.
// They gate each change and so may take two minutes together; rare, slow and varied cases are in the other packages of
// e2e.
package journeys
