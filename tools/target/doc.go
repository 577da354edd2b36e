// Package target resolves the names in a call: paths, resource addresses, cells by id or index, ranges, and revisions. It
// also finds the people in the cells that a call touches.
//
// It imports session and tools/tool, and no package of tools beside them.
//
// Start from [View], the cells of a notebook as one client knows them: every id and index of a call is resolved there.
// [Accompanied] adds to each answer the people in the cells that the call touched.
//
// # Concurrency
//
// A View belongs to one call. The package starts no goroutine.
package target
