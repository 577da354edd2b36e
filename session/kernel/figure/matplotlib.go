package figure

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// description is the kernel's description of a matplotlib figure, see python/axes.py.
type description struct {
	Title  string            `json:"title"` // of the whole figure, as are the labels
	XLabel string            `json:"x_label"`
	YLabel string            `json:"y_label"`
	Axes   []axesDescription `json:"axes"`       // the first ones
	Total  int               `json:"axes_total"` // of axes, as counted by the figure's repr
}

// axesDescription are one plot in a figure.
type axesDescription struct {
	Title    string            `json:"title"`
	XLabel   string            `json:"x_label"`
	YLabel   string            `json:"y_label"`
	ZLabel   string            `json:"z_label"`
	Colorbar bool              `json:"colorbar"` // of another plot, with no other content
	Legend   []string          `json:"legend"`
	Drawn    []drawn           `json:"drawn"`
	X        *rangeDescription `json:"x"` // nil without data
	Y        *rangeDescription `json:"y"`
	Z        *rangeDescription `json:"z"`
}

// drawn counts the elements of one kind in a plot, such as "line", "bar", "point" or "image".
type drawn struct {
	What  string `json:"what"`
	Count int    `json:"count"`
	Shape string `json:"shape"` // of an image: "28 × 28"
}

// rangeDescription is the range of an axis's data: numbers, or texts for dates or categories.
type rangeDescription struct {
	From  any    `json:"from"`
	To    any    `json:"to"`
	Scale string `json:"scale"` // "log" if it is logarithmic
}

// Matplotlib describes a figure in a line, from its kernel's description ([MIME]): `"Sales" (x: month, y: EUR): 2 lines
// "2024", "2025", x 1 … 12, y 3.1 … 41`. The line is "" if the figure is empty, or v has another form.
func Matplotlib(v any) string {
	text, ok := v.(string)
	var f description
	if !ok || json.Unmarshal([]byte(text), &f) != nil {
		return ""
	}
	return f.line()
}

// line describes the figure in a line of at most mostText characters.
func (f description) line() string {
	line := headingOf(f.Title, [][2]string{{"x", f.XLabel}, {"y", f.YLabel}})
	joint := lo.Ternary(line == "", "", ": ")
	for i, a := range f.Axes {
		text, left := a.line(), max(f.Total, len(f.Axes))-i
		if text == "" {
			continue
		}
		end := ""
		if left > 1 {
			end = "; and " + strconv.Itoa(left) + " more"
		}
		if i > 0 && textfmt.Size(line+joint+text+end) > mostText {
			return clip(line+end, mostText)
		}
		line += joint + text
		joint = "; "
	}
	if more := f.Total - len(f.Axes); more > 0 && len(f.Axes) > 0 {
		line += "; and " + strconv.Itoa(more) + " more"
	}
	return clip(line, mostText)
}

// headingOf returns the heading of a figure or a plot.
func headingOf(title string, labels [][2]string) string {
	for i := range labels {
		labels[i][1] = clean(labels[i][1], mostName)
	}
	if title = clean(title, mostTitle); title != "" {
		title = quoted(title) + " "
	}
	return strings.TrimSpace(title + names(labels))
}

// line describes the plot.
func (a axesDescription) line() string {
	heading := headingOf(a.Title, [][2]string{{"x", a.XLabel}, {"y", a.YLabel}, {"z", a.ZLabel}})
	if a.Colorbar {
		return strings.TrimSpace("colorbar " + heading)
	}
	parts := a.drawn()
	for _, r := range []struct {
		of string
		is *rangeDescription
	}{{"x", a.X}, {"y", a.Y}, {"z", a.Z}} {
		if text := r.is.line(); text != "" {
			parts = append(parts, r.of+" "+text)
		}
	}
	inside := strings.Join(parts, ", ")
	if heading == "" || inside == "" {
		return heading + inside
	}
	return heading + ": " + inside
}

// drawn describes the plot's content, with the legend at the kind that it labels, if only one kind is possible.
func (a axesDescription) drawn() (parts []string) {
	var legend []string
	for _, s := range a.Legend {
		if s = clean(s, mostName); s != "" {
			legend = append(legend, quoted(s))
		}
	}
	for _, d := range a.Drawn {
		if what := clean(d.What, mostName); what != "" {
			what = textfmt.Plural(d.Count, what)
			if shape := clean(d.Shape, mostName); shape != "" {
				what += " of " + shape
			}
			parts = append(parts, what)
		}
	}
	switch {
	case legend == nil:
		return parts
	case len(parts) == 1 && a.Drawn[0].Count >= len(legend):
		return []string{parts[0] + " " + strings.Join(legend, ", ")}
	}
	return append(parts, "legend "+strings.Join(legend, ", "))
}

// line formats the range: `1 … 12`, or "".
func (r *rangeDescription) line() string {
	if r == nil {
		return ""
	}
	from, to := endOf(r.From), endOf(r.To)
	if low, ok := r.From.(float64); ok { // the remainder of a sum that should be zero
		if high, ok := r.To.(float64); ok && math.Abs(low) < (high-low)*negligible {
			from = number(0)
		}
	}
	text := from
	if from != to && to != "" {
		text += " … " + to
	}
	if r.Scale != "" && text != "" {
		text += " (" + clean(r.Scale, mostName) + ")"
	}
	return text
}

// negligible is an invisible fraction of a range.
const negligible = 1e-9

// endOf formats one end of a range.
func endOf(v any) string {
	switch v := v.(type) {
	case float64:
		return number(v)
	case string:
		return said(clean(v, mostName))
	}
	return ""
}
