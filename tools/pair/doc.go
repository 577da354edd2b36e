// Package pair makes the tools by which an agent works beside people in one notebook: who is here and where, what has
// changed and by whom, and undoing the agent's own edits.
//
// All tools work with people's stock JupyterLab. Information from their other extensions is used if it is available.
//
// # Concurrency
//
// The tools keep no state between calls; the open document does.
package pair
