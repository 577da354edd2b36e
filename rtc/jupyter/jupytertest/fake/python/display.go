package python

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"go.starlark.net/starlark"
)

// bundle is what a value looks like: by media type, with metadata. Failed tells that one of its representations has
// raised an exception, which was shown.
type bundle struct {
	data, metadata json.RawMessage
	failed         bool
}

// parts collects a bundle in order.
type parts struct {
	data, metadata []any
	failed         bool
}

func (p *parts) bundle() bundle {
	return bundle{object(p.data...), object(p.metadata...), p.failed}
}

// rich is an object of IPython.display.
type rich struct {
	name           string // of its class
	data, metadata []any  // names and values, as object takes them
	plain          string // in place of its text, which is "<IPython.core.display.… object>"
	first          bool   // its data comes before its text
}

func (r *rich) String() string      { return "<IPython.core.display." + r.name + " object>" }
func (r *rich) Type() string        { return r.name }
func (*rich) Freeze()               {}
func (*rich) Truth() starlark.Bool  { return true }
func (*rich) Hash() (uint32, error) { return 6, nil }
func (r *rich) repr(*Interp) string {
	if r.plain != "" {
		return r.plain
	}
	return r.String()
}

// format makes the bundle of a value.
func (in *Interp) format(v starlark.Value) (bundle, error) {
	var p parts
	switch v := v.(type) {
	case *rich:
		plain := []any{"text/plain", v.repr(in)}
		if v.first {
			p.data = append(append(p.data, v.data...), plain...)
		} else {
			p.data = append(append(p.data, plain...), v.data...)
		}
		p.metadata = v.metadata
		return p.bundle(), nil
	case *figure:
		return in.figureBundle(v)
	case *instance:
		if v.exception == nil {
			return in.instanceBundle(v)
		}
	}
	s, err := in.pretty(v, 0, 0)
	if err != nil {
		return bundle{}, err
	}
	p.data = []any{"text/plain", s}
	return p.bundle(), nil
}

// representations are the methods that IPython asks an object for, in its order.
var representations = []struct{ method, mime string }{
	{"_repr_html_", "text/html"},
	{"_repr_markdown_", "text/markdown"},
	{"_repr_svg_", "image/svg+xml"},
	{"_repr_png_", "image/png"},
	{"_repr_pdf_", "application/pdf"},
	{"_repr_jpeg_", "image/jpeg"},
	{"_repr_latex_", "text/latex"},
	{"_repr_json_", "application/json"},
	{"_repr_javascript_", "application/javascript"},
}

func (in *Interp) instanceBundle(x *instance) (bundle, error) {
	var p parts
	if v, found := in.tryMethod(x, "_repr_mimebundle_", &p); found {
		return in.mimeBundle(v)
	}
	s, err := in.repr(x)
	if err != nil {
		return bundle{}, err
	}
	p.data = []any{"text/plain", s}
	for _, r := range representations {
		v, found := in.tryMethod(x, r.method, &p)
		if !found || v == starlark.None {
			continue
		}
		if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
			meta, err := in.json(t[1])
			if err != nil {
				return bundle{}, err
			}
			p.metadata = append(p.metadata, r.mime, meta)
			v = t[0]
		}
		data, err := in.json(v)
		if err != nil {
			return bundle{}, err
		}
		p.data = append(p.data, r.mime, data)
	}
	return p.bundle(), nil
}

// tryMethod asks an object for a representation; an exception of it is shown and the representation left out.
func (in *Interp) tryMethod(x *instance, name string, p *parts) (starlark.Value, bool) {
	v, found, err := x.method(name)
	if err != nil {
		in.report(err)
		p.failed = true
		return nil, false
	}
	return v, found
}

func (in *Interp) mimeBundle(v starlark.Value) (bundle, error) {
	meta := json.RawMessage("{}")
	var err error
	if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
		if meta, err = in.json(t[1]); err != nil {
			return bundle{}, err
		}
		v = t[0]
	}
	data, err := in.json(v)
	return bundle{data: data, metadata: meta}, err
}

// handle is a DisplayHandle.
type displayHandle struct {
	in *Interp
	id string
}

func (h *displayHandle) String() string      { return "<DisplayHandle display_id=" + h.id + ">" }
func (*displayHandle) Type() string          { return "DisplayHandle" }
func (*displayHandle) Freeze()               {}
func (*displayHandle) Truth() starlark.Bool  { return true }
func (*displayHandle) Hash() (uint32, error) { return 7, nil }

func (h *displayHandle) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "display_id":
		return starlark.String(h.id), nil
	case "display", "update":
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, in.show(args, kwargs, h.id, name == "update")
		}), nil
	}
	return nil, nil
}

// display is IPython's function.
func (in *Interp) display(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	id := ""
	switch v := option(kwargs, "display_id", starlark.None).(type) {
	case starlark.Bool:
		if v {
			in.displays++
			id = sprintf("2ea327e8%024x", in.displays)
		}
	case starlark.String:
		id = string(v)
	}
	if err := in.show(args, kwargs, id, false); err != nil {
		return nil, err
	}
	if id == "" {
		return starlark.None, nil
	}
	return &displayHandle{in, id}, nil
}

func (in *Interp) updateDisplay(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return starlark.None, in.show(args, kwargs, text(option(kwargs, "display_id", starlark.String(""))), true)
}

// show publishes values.
func (in *Interp) show(args starlark.Tuple, kwargs []starlark.Tuple, id string, update bool) error {
	for _, v := range args {
		var b bundle
		var err error
		if option(kwargs, "raw", starlark.False).Truth() {
			if !isMapping(v) {
				return in.exceptionf("ValueError", "data must be a dict, got: %s", in.typeName(v))
			}
			b, err = in.mimeBundle(v)
		} else {
			b, err = in.format(v)
		}
		if err != nil {
			return err
		}
		if more := option(kwargs, "metadata", starlark.None); more != starlark.None {
			extra, err := in.json(more)
			if err != nil {
				return err
			}
			b.metadata = mergeObjects(b.metadata, extra)
		}
		in.publish(b, id, update)
	}
	return nil
}

func (in *Interp) publish(b bundle, id string, update bool) {
	transient := json.RawMessage("{}")
	if id != "" {
		transient = object("display_id", id)
	}
	in.io.Flush("stdout")
	in.io.Flush("stderr")
	in.io.Display(Display{Data: b.data, Metadata: b.metadata, Transient: transient, Update: update})
}

// mergeObjects puts the members of one JSON object behind those of another.
func mergeObjects(a, b json.RawMessage) json.RawMessage {
	x, y := strings.TrimSuffix(string(a), "}"), strings.TrimPrefix(string(b), "{")
	switch {
	case x == "{" || y == "}":
		return json.RawMessage(x + y)
	}
	return json.RawMessage(x + ", " + y)
}

// publishData is publish_display_data of IPython.display.
func (in *Interp) publishData(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	data, err := in.json(argumentOf(args, kwargs, 0, "data", starlark.NewDict(0)))
	if err != nil {
		return nil, err
	}
	meta, err := in.json(argumentOf(args, kwargs, 1, "metadata", starlark.NewDict(0)))
	if err != nil {
		return nil, err
	}
	in.publish(bundle{data: data, metadata: meta}, "", false)
	return starlark.None, nil
}

func (in *Interp) clearOutput(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in.io.Flush("stdout")
	in.io.Flush("stderr")
	in.io.ClearOutput(bool(argumentOf(args, kwargs, 0, "wait", starlark.False).Truth()))
	return starlark.None, nil
}

// displayModule is IPython.display.
func (in *Interp) displayModule() starlark.StringDict {
	out := starlark.StringDict{
		"display":              in.builtin["display"],
		"clear_output":         builtin("clear_output", in.clearOutput),
		"update_display":       builtin("update_display", in.updateDisplay),
		"publish_display_data": builtin("publish_display_data", in.publishData),
		"Image":                builtin("Image", in.image),
		"JSON": builtin("JSON", func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			data, err := in.json(argumentOf(args, kwargs, 0, "data", starlark.None))
			expanded := bool(option(kwargs, "expanded", starlark.False).Truth())
			return &rich{
				name: "JSON", data: []any{"application/json", data},
				metadata: []any{"application/json", object("expanded", expanded, "root", "root")},
			}, err
		}),
	}
	for name, mime := range map[string]string{
		"HTML": "text/html", "Markdown": "text/markdown", "Latex": "text/latex", "SVG": "image/svg+xml", "Javascript": "application/javascript",
		"Math": "text/latex", "Pretty": "text/plain",
	} {
		out[name] = builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			data := text(argumentOf(args, kwargs, 0, "data", starlark.String("")))
			r := &rich{name: name, data: []any{mime, data}}
			switch name {
			case "Math":
				r.data[1] = `$\displaystyle ` + strings.Trim(data, "$") + "$"
			case "Pretty":
				r.plain, r.data = data, nil
			}
			return r, nil
		})
	}
	return out
}

// image is Image of IPython.display.
func (in *Interp) image(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	r := &rich{name: "Image", first: true}
	data := argumentOf(args, kwargs, 0, "data", starlark.None)
	if url, ok := option(kwargs, "url", starlark.None).(starlark.String); ok {
		r.data = []any{"text/html", `<img src="` + string(url) + `"/>`}
		return r, nil
	}
	if name, ok := option(kwargs, "filename", starlark.None).(starlark.String); ok {
		b, err := in.readFile(string(name))
		if err != nil {
			return nil, err
		}
		data = starlark.Bytes(b)
	}
	b, ok := data.(starlark.Bytes)
	if !ok {
		return nil, in.exceptionf("TypeError", "No image data found. Expecting filename, url, or data.")
	}
	mime := "image/png"
	switch {
	case strings.HasPrefix(string(b), "\xff\xd8"):
		mime = "image/jpeg"
	case strings.HasPrefix(string(b), "GIF8"):
		mime = "image/gif"
	case strings.HasPrefix(string(b), "RIFF"):
		mime = "image/webp"
	}
	r.data = []any{mime, base64.StdEncoding.EncodeToString([]byte(b))}
	var size []any
	for _, side := range []string{"width", "height"} {
		if n, ok := integer(option(kwargs, side, starlark.None)); ok {
			size = append(size, side, n)
		}
	}
	if len(size) > 0 {
		r.metadata = []any{mime, object(size...)}
	}
	return r, nil
}
