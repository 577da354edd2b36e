// Package figure says in a line of text what a figure in an output shows: its title, its axes, and what is drawn.
//
// Figures of plotly are described from the JSON that a browser would draw ([Plotly]). Of matplotlib's there is only a
// picture, and sometimes what Python writes for the axes ([Axes]).
//
// # Concurrency
//
// The package has only functions, without shared state.
package figure
