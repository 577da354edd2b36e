// Package htmltext converts the HTML of kernel outputs to text: tables become Markdown tables, links their text and
// address, and content only for browsers is left out.
//
// The text is for reading, not for conversion back to HTML: only the bars in tables are escaped.
//
// # Bounds
//
// Scripts and styles of any size are skipped. Of the other markup, the first 400 kB are converted. Markup that is nested
// too deeply to be parsed becomes unformatted text.
//
// # Concurrency
//
// The package has only functions, without shared state.
package htmltext
