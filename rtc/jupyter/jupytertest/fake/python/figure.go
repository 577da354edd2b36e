package python

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// figures are those of pyplot that were not shown yet.
type figures struct {
	open    []*figure
	formats []string // of InlineBackend, nil for png
}

// figure is one of matplotlib: what was asked of it, and the numbers to draw.
type figure struct {
	in            *Interp
	width, height int
	axes          int
	asked         []string
	lines         [][]float64
}

// axes is one of a figure's, stub what a method of it has returned.
type axes struct{ of *figure }

type stub struct{ text string }

func (f *figure) String() string {
	return fmt.Sprintf("<Figure size %dx%d with %d Axes>", f.width, f.height, f.axes)
}
func (*figure) Type() string          { return "Figure" }
func (*figure) Freeze()               {}
func (*figure) Truth() starlark.Bool  { return true }
func (*figure) Hash() (uint32, error) { return 13, nil }

func (*axes) String() string        { return "<Axes: >" }
func (*axes) Type() string          { return "Axes" }
func (*axes) Freeze()               {}
func (*axes) Truth() starlark.Bool  { return true }
func (*axes) Hash() (uint32, error) { return 14, nil }

func (s *stub) String() string      { return s.text }
func (*stub) Type() string          { return "Artist" }
func (*stub) Freeze()               {}
func (*stub) Truth() starlark.Bool  { return true }
func (*stub) Hash() (uint32, error) { return 15, nil }

// attr of a stub is a method that takes anything.
func (*stub) attr(_ *Interp, name string) (starlark.Value, error) {
	if strings.HasPrefix(name, "_") {
		return nil, nil
	}
	return nothing(name), nil
}

func (a *axes) attr(in *Interp, name string) (starlark.Value, error) {
	if strings.HasPrefix(name, "_") {
		return nil, nil
	}
	return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return a.of.ask(in, strings.TrimPrefix(name, "set_"), args)
	}), nil
}

func (f *figure) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "add_subplot", "gca", "add_axes":
		return builtin(name, func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			f.axes++
			return &axes{f}, nil
		}), nil
	}
	return (&axes{f}).attr(in, name)
}

// ask notes what was asked of a figure, and the numbers in it.
func (f *figure) ask(in *Interp, name string, args starlark.Tuple) (starlark.Value, error) {
	f.axes = max(f.axes, 1)
	s, err := in.repr(args)
	if err != nil {
		return nil, err
	}
	f.asked = append(f.asked, name+s)
	for _, a := range args {
		if _, ok := a.(starlark.String); ok {
			continue
		}
		items, err := in.list(a)
		if err != nil {
			continue // a single number, or an object
		}
		var line []float64
		for _, x := range items {
			if y, ok := starlark.AsFloat(asNumber(x)); ok {
				line = append(line, y)
			}
		}
		f.lines = append(f.lines, line)
	}
	switch name {
	case "plot":
		return starlark.NewList([]starlark.Value{&stub{"<matplotlib.lines.Line2D at 0x7f8543df2c90>"}}), nil
	case "title", "xlabel", "ylabel", "text", "suptitle":
		label := ""
		if len(args) > 0 {
			label = text(args[len(args)-1])
		}
		return &stub{fmt.Sprintf("Text(0.5, 1.0, %s)", quote(label))}, nil
	case "bar", "barh", "hist":
		return &stub{"<BarContainer object of " + fmt.Sprint(len(slices.Concat(f.lines...))) + " artists>"}, nil
	}
	return &stub{"<matplotlib." + name + " at 0x7f8543df2c90>"}, nil
}

// current is the figure that pyplot draws on.
func (in *Interp) currentFigure() *figure {
	if len(in.figures.open) == 0 {
		in.newFigure(nil)
	}
	return in.figures.open[len(in.figures.open)-1]
}

func (in *Interp) newFigure(kwargs []starlark.Tuple) *figure {
	f := &figure{in: in, width: 640, height: 480}
	if size, err := in.list(option(kwargs, "figsize", starlark.None)); err == nil && len(size) == 2 {
		w, _ := starlark.AsFloat(size[0])
		h, _ := starlark.AsFloat(size[1])
		f.width, f.height = int(w*100), int(h*100)
	}
	in.figures.open = append(in.figures.open, f)
	return f
}

func (in *Interp) pyplotModule() starlark.StringDict {
	return starlark.StringDict{
		"figure": builtin("figure", func(_ *starlark.Thread, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return in.newFigure(kwargs), nil
		}),
		"subplots": builtin("subplots", in.subplots),
		"gcf": builtin("gcf", func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return in.currentFigure(), nil
		}),
		"gca": builtin("gca", func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			f := in.currentFigure()
			f.axes = max(f.axes, 1)
			return &axes{f}, nil
		}),
		"show": builtin("show", func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.flushFigures()
		}),
		"close": builtin("close", func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			in.figures.open = nil
			return starlark.None, nil
		}),
		"rcParams": starlark.NewDict(0),
	}
}

// pyplotFunction is any other function of pyplot: it is asked of the current figure.
func (in *Interp) pyplotFunction(name string) starlark.Value {
	return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return in.currentFigure().ask(in, name, args)
	})
}

func (in *Interp) subplots(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	f := in.newFigure(kwargs)
	rows, _ := integer(argumentOf(args, kwargs, 0, "nrows", starlark.MakeInt(1)))
	cols, _ := integer(argumentOf(args, kwargs, 1, "ncols", starlark.MakeInt(1)))
	f.axes = rows * cols
	if f.axes == 1 {
		return starlark.Tuple{f, &axes{f}}, nil
	}
	list := starlark.NewList(nil)
	for range f.axes {
		_ = list.Append(&axes{f}) // a new list
	}
	return starlark.Tuple{f, list}, nil
}

// flushFigures shows the figures, as the end of a cell and show() do.
func (in *Interp) flushFigures() error {
	open := in.figures.open
	in.figures.open = nil
	for _, f := range open {
		b, err := in.figureBundle(f)
		if err != nil {
			return err
		}
		in.publish(b, "", false)
	}
	return nil
}

// configure is %config: of InlineBackend, the formats of figures.
func (in *Interp) configure(line string) error {
	name, value, ok := strings.Cut(line, "=")
	if !ok || !strings.HasPrefix(strings.TrimSpace(name), "InlineBackend.figure_format") {
		return nil
	}
	v, err := in.eval(value, "<string>")
	if err != nil {
		return err
	}
	in.figures.formats = nil
	if s, ok := v.(starlark.String); ok {
		in.figures.formats = []string{string(s)}
		return nil
	}
	items, err := in.list(v)
	for _, x := range items {
		in.figures.formats = append(in.figures.formats, text(x))
	}
	return err
}

func (in *Interp) figureBundle(f *figure) (bundle, error) {
	data := []any{"text/plain", f.String()}
	formats := in.figures.formats
	if formats == nil {
		formats = []string{"png"}
	}
	for _, format := range []string{"svg", "png", "jpeg"} {
		if !slices.Contains(formats, format) {
			continue
		}
		var b bytes.Buffer
		var err error
		mime, out := "image/"+format, ""
		switch format {
		case "svg":
			mime, out = "image/svg+xml", f.svg()
		case "png":
			err = png.Encode(&b, f.draw())
		default:
			err = jpeg.Encode(&b, f.draw(), nil)
		}
		if err != nil {
			return bundle{}, err
		}
		if out == "" {
			out = base64.StdEncoding.EncodeToString(b.Bytes())
		}
		data = append(data, mime, out)
	}
	return bundle{data: object(data...), metadata: object()}, nil
}

// points are the numbers of a line within a rectangle.
func (f *figure) points(line []float64) []image.Point {
	all := slices.Concat(f.lines...)
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		high++
	}
	box := image.Rect(f.width/8, f.height/8, f.width*9/10, f.height*8/9)
	var out []image.Point
	for i, y := range line {
		x := 0.5
		if len(line) > 1 {
			x = float64(i) / float64(len(line)-1)
		}
		out = append(out, image.Pt(box.Min.X+int(x*float64(box.Dx())), box.Max.Y-int((y-low)/(high-low)*float64(box.Dy()))))
	}
	return out
}

func (f *figure) draw() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, f.width, f.height))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	black, blue := color.RGBA{A: 255}, color.RGBA{31, 119, 180, 255}
	box := []image.Point{
		{f.width / 10, f.height / 10},
		{f.width * 92 / 100, f.height / 10},
		{f.width * 92 / 100, f.height * 9 / 10},
		{f.width / 10, f.height * 9 / 10},
		{f.width / 10, f.height / 10},
	}
	stroke(m, box, black)
	for _, line := range f.lines {
		if len(line) > 0 {
			stroke(m, f.points(line), blue)
		}
	}
	// What else was asked, such as a title, is a row of dots.
	h := fnv.New32a()
	fmt.Fprint(h, strings.Join(f.asked, "\n"))
	for i := range 32 {
		if h.Sum32()>>i&1 == 1 {
			m.Set(f.width/2-64+4*i, f.height/20, black)
		}
	}
	return m
}

// stroke draws a line through points.
func stroke(m *image.RGBA, points []image.Point, c color.Color) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		n := max(abs(b.X-a.X), abs(b.Y-a.Y), 1)
		for k := range n + 1 {
			m.Set(a.X+(b.X-a.X)*k/n, a.Y+(b.Y-a.Y)*k/n, c)
		}
	}
}

func abs(n int) int { return max(n, -n) }

func (f *figure) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="%dpt" height="%dpt" viewBox="0 0 %[1]d %[2]d" xmlns="http://www.w3.org/2000/svg" version="1.1">
`, f.width*72/100, f.height*72/100)
	for _, line := range f.lines {
		if len(line) == 0 {
			continue
		}
		b.WriteString(` <polyline fill="none" stroke="#1f77b4" points="`)
		for _, p := range f.points(line) {
			fmt.Fprintf(&b, "%d,%d ", p.X*72/100, p.Y*72/100)
		}
		b.WriteString("\"/>\n")
	}
	for _, a := range f.asked {
		fmt.Fprintf(&b, " <!-- %s -->\n", strings.NewReplacer("--", "- -", "<", "", ">", "").Replace(a))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
