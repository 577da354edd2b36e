// Package figure describes a figure in an output in a line of text: its title, axes and content; and makes kernels draw the
// figures that only a browser shows.
//
// Figures of plotly and Vega, and maps of GeoJSON, are described from their JSON, which a browser would draw ([Plotly],
// [Vega], [GeoJSON]). For matplotlib a notebook has only a picture, and sometimes Python's repr of the axes ([Axes]). So the
// kernel sends a description with the picture ([Setup]) when nbduet runs the cell: the figure is closed after it has been
// shown, and a later query may find another one. The description is kept out of the notebook, and remembered by picture
// ([Known]).
//
// The text of a widget in an output is its initial state. A [Known] also keeps the current state, from the kernel's comm
// messages.
//
// A notebook often lacks pictures of plotly's figures. [Draw] makes the kernel that has shown the figure draw one, if
// kaleido is installed there.
//
// # Concurrency
//
// The functions share no state, and a [Known] is safe for concurrent use.
package figure
