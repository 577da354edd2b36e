package cells

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"

	"go.starlark.net/starlark"
)

// bundle is a displayed value: its representations by MIME type, and their metadata, as JSON objects.
type bundle struct{ data, metadata json.RawMessage }

// shown returns the bundle of a value.
func shown(v value) bundle {
	if o, ok := v.(*object); ok {
		if b, ok := o.of.(bundle); ok {
			return b
		}
	}
	return bundle{fields{"text/plain": repr(v)}.json(), fields{}.json()}
}

func (p *process) publish(b bundle, id string, update bool) {
	transient := fields{}
	if id != "" {
		transient["display_id"] = id
	}
	p.flush()
	p.io.Display(Display{Data: b.data, Metadata: b.metadata, Transient: transient.json(), Update: update})
}

// display displays the values of its first argument. The others are raw, display_id and metadata.
func (p *process) display(a args, update bool) (value, error) {
	id := a.text(2)
	if a[2] == starlark.True {
		id = fmt.Sprintf("%032x", p.count)
	}
	for v := range starlark.Elements(a[0].(starlark.Tuple)) {
		b := shown(v)
		var err error
		if a.truth(1) {
			b.data, err = encoded(v)
		}
		if a[3] != starlark.None && err == nil {
			b.metadata, err = encoded(a[3])
		}
		if err != nil {
			return nil, err
		}
		p.publish(b, id, update)
	}
	if id == "" || update {
		return starlark.None, nil
	}
	again := func(name string, update bool) *starlark.Builtin {
		return does(name, "obj raw metadata", func(a args) error {
			_, err := p.display(args{starlark.Tuple{a[0]}, a[1], starlark.String(id), a[2]}, update)
			return err
		})
	}
	attrs := starlark.StringDict{"display": again("display", false), "update": again("update", true)}
	return &object{kind: "DisplayHandle", text: "<DisplayHandle display_id=" + id + ">", attrs: attrs}, nil
}

// displayModule is IPython.display.
func displayModule(p *process) *object {
	attrs := starlark.StringDict{
		"display": function("display", "* raw display_id metadata", func(a args) (value, error) { return p.display(a, false) }),
		"publish_display_data": function("publish_display_data", "data metadata", func(a args) (value, error) {
			return p.display(args{starlark.Tuple{a[0]}, starlark.True, starlark.None, a[1]}, false)
		}),
		"clear_output": does("clear_output", "wait", func(a args) error {
			p.flush()
			p.io.ClearOutput(a.truth(0))
			return nil
		}),
		"Image": function("Image", "data url", func(a args) (value, error) {
			mime := http.DetectContentType([]byte(a.text(0)))
			if !strings.HasPrefix(mime, "image/") {
				return nil, notUnderstood("Image() of " + mime)
			}
			return rich("Image", mime, base64.StdEncoding.EncodeToString([]byte(a.text(0))), fields{}), nil
		}),
		"JSON": function("JSON", "data expanded", func(a args) (value, error) {
			data, err := encoded(a[0])
			return rich("JSON", "application/json", data, fields{"application/json": fields{"expanded": a.truth(1), "root": "root"}}), err
		}),
	}
	for name, mime := range map[string]string{
		"HTML": "text/html", "Markdown": "text/markdown", "Latex": "text/latex", "Math": "text/latex", "SVG": "image/svg+xml",
	} {
		attrs[name] = gives(name, "data", func(a args) value { return rich(name, mime, a.text(0), fields{}) })
	}
	return module("IPython.display", attrs)
}

// rich is a value with its own representation.
func rich(class, mime string, data any, metadata fields) *object {
	text := "<IPython.core.display." + class + " object>"
	return &object{kind: class, text: text, of: bundle{fields{"text/plain": text, mime: data}.json(), metadata.json()}}
}

// pyplot is matplotlib.pyplot. It shows the same figure, whatever is drawn.
func pyplot(p *process) *object {
	attrs := starlark.StringDict{"show": does("show", "", func(args) error { p.showFigure(); return nil })}
	for _, name := range []string{"plot", "title"} {
		attrs[name] = gives(name, "*", func(args) value {
			p.drawn = true
			return &object{kind: "Artist", text: "<matplotlib.artist.Artist>"}
		})
	}
	return module("matplotlib.pyplot", attrs)
}

// showFigure displays the figure, if there is one, in the requested formats.
func (p *process) showFigure() {
	if !p.drawn {
		return
	}
	p.drawn = false
	m := image.NewGray(image.Rect(0, 0, 640, 480))
	for i := range m.Pix {
		m.Pix[i] = byte(i/640 + i%640) // grey stripes
	}
	var asPNG, asJPEG bytes.Buffer // writing to them does not fail
	_, _ = png.Encode(&asPNG, m), jpeg.Encode(&asJPEG, m, nil)
	forms := map[string][2]string{
		"png":  {"image/png", base64.StdEncoding.EncodeToString(asPNG.Bytes())},
		"jpeg": {"image/jpeg", base64.StdEncoding.EncodeToString(asJPEG.Bytes())},
		"svg":  {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="460" height="345"><path d="M60 300 L400 40"/></svg>`},
	}
	data := fields{"text/plain": "<Figure size 640x480 with 1 Axes>"}
	for _, format := range p.formats {
		data[forms[format][0]] = forms[format][1]
	}
	p.publish(bundle{data.json(), fields{}.json()}, "", false)
}
