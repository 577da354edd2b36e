// Package figure says in a line of text what a figure in an output shows: its title, its axes, and what is drawn; and has
// a kernel draw those that only a browser shows.
//
// Figures of plotly are described from the JSON that a browser would draw ([Plotly]). Of matplotlib's a notebook has only a
// picture, and sometimes what Python writes for the axes ([Axes]). So the kernel is asked to tell more beside the picture
// ([Setup]), where nbduet runs the cell: the figure is closed when it has been shown, and who looks later may find another.
// What it tells is kept out of the notebook, and remembered by the picture ([Known]).
//
// The text of a widget in an output is its initial state. A [Known] also keeps the current state, from the kernel's comm
// messages.
//
// Of plotly's figures a notebook often has no picture. [Draw] has one made by the kernel that has shown the figure, where
// kaleido is installed there.
//
// # Concurrency
//
// The functions share no state, and a [Known] is safe for concurrent use.
package figure
