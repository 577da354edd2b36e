// Package search finds text in notebooks: in open ones as they are now, in others as they are on disk.
//
// Start from [Notebooks.Folder], which searches the notebooks below a folder, or [Query.Cells], which searches cells.
//
// # Concurrency
//
// A search reads several files at once, in goroutines that it waits for. Everything is safe for concurrent use.
package search
