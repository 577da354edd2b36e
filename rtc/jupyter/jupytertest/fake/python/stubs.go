package python

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// pillowModule is PIL.Image, which has new.
func (in *Interp) pillowModule() starlark.StringDict {
	return starlark.StringDict{"new": plainFunc("new", func(args starlark.Tuple) (starlark.Value, error) {
		size, err := in.list(args[1])
		if err != nil || len(size) != 2 {
			return nil, in.exceptionf("ValueError", "Size must be a list or tuple of length 2")
		}
		w, _ := integer(size[0])
		h, _ := integer(size[1])
		c := map[string]color.Color{
			"red": color.RGBA{255, 0, 0, 255}, "green": color.RGBA{0, 128, 0, 255}, "blue": color.RGBA{0, 0, 255, 255}, "white": color.White,
		}[text(argumentOf(args, nil, 2, "", starlark.String("")))]
		if c == nil {
			c = color.Black
		}
		m := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(m, m.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
		var asPNG, asJPEG bytes.Buffer
		if err := firstError(png.Encode(&asPNG, m), jpeg.Encode(&asJPEG, m, nil)); err != nil {
			return nil, err
		}
		return &rich{
			name: "Image", plain: fmt.Sprintf("<PIL.Image.Image image mode=%s size=%dx%d>", text(args[0]), w, h),
			data: []any{
				"image/png", base64.StdEncoding.EncodeToString(asPNG.Bytes()), "image/jpeg", base64.StdEncoding.EncodeToString(asJPEG.Bytes()),
			},
		}, nil
	})}
}

// pandasModule has a DataFrame that can be shown.
func (in *Interp) pandasModule() starlark.StringDict {
	return starlark.StringDict{"DataFrame": plainFunc("DataFrame", func(args starlark.Tuple) (starlark.Value, error) {
		d, ok := args[0].(*starlark.Dict)
		if !ok {
			return nil, in.exceptionf("TypeError", "this Python makes tables of dictionaries only")
		}
		var names []string
		var columns [][]string
		for _, item := range d.Items() {
			values, err := in.list(item[1])
			if err != nil {
				return nil, err
			}
			column := []string{}
			for _, v := range values {
				s, err := in.str(v)
				if err != nil {
					return nil, err
				}
				column = append(column, s)
			}
			names, columns = append(names, text(item[0])), append(columns, column)
		}
		return &rich{name: "DataFrame", plain: tableText(names, columns), data: []any{"text/html", tableHTML(names, columns)}}, nil
	})}
}

func tableText(names []string, columns [][]string) string {
	if len(columns) == 0 {
		return "Empty DataFrame\nColumns: []\nIndex: []"
	}
	rows := make([]strings.Builder, len(columns[0])+1)
	put := func(cells []string) {
		width := 0
		for _, c := range cells {
			width = max(width, utf8.RuneCountInString(c))
		}
		for i, c := range cells {
			rows[i].WriteString(strings.Repeat(" ", width-utf8.RuneCountInString(c)) + c)
		}
	}
	index := []string{""}
	for i := range columns[0] {
		index = append(index, fmt.Sprint(i))
	}
	put(index)
	for i, c := range columns {
		for k := range rows {
			rows[k].WriteString("  ")
		}
		put(append([]string{names[i]}, c...))
	}
	var lines []string
	for i := range rows {
		lines = append(lines, rows[i].String())
	}
	return strings.Join(lines, "\n")
}

func tableHTML(names []string, columns [][]string) string {
	var b strings.Builder
	b.WriteString(`<div>
<style scoped>
    .dataframe tbody tr th:only-of-type {
        vertical-align: middle;
    }

    .dataframe tbody tr th {
        vertical-align: top;
    }

    .dataframe thead th {
        text-align: right;
    }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;">
      <th></th>
`)
	for _, name := range names {
		fmt.Fprintf(&b, "      <th>%s</th>\n", html.EscapeString(name))
	}
	b.WriteString("    </tr>\n  </thead>\n  <tbody>\n")
	for i := range columns[0] {
		fmt.Fprintf(&b, "    <tr>\n      <th>%d</th>\n", i)
		for _, c := range columns {
			fmt.Fprintf(&b, "      <td>%s</td>\n", html.EscapeString(c[i]))
		}
		b.WriteString("    </tr>\n")
	}
	b.WriteString("  </tbody>\n</table>\n</div>")
	return b.String()
}
