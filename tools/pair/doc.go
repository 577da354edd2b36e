// Package pair makes the tools by which an agent works beside people in one notebook: who is here and where, what has
// changed and by whom, and taking back what the agent itself did.
//
// Everything here works with people's stock JupyterLab. What other extensions of theirs tell is used where it is there.
//
// # Concurrency
//
// The tools keep nothing between calls: what they show is kept by the open document.
package pair
