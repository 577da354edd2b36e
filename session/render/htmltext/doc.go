// Package htmltext makes text of the HTML that kernels show: tables become tables of Markdown, links their text and
// address, and what is there for a browser alone is left out.
//
// The text is for reading, and is not meant to become HTML again: it is not escaped, but for the bars in tables.
//
// # Bounds
//
// Scripts and styles of any size are passed over. Of the markup beside them, the first 400 kB are converted. Markup that
// is nested too deeply to be parsed gives its text without any form.
//
// # Concurrency
//
// The package has only functions, without shared state.
package htmltext
