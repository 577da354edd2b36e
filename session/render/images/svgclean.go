package images

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds on the structure of an SVG.
const (
	maxDepth      = 200
	maxElements   = 300_000
	maxAttributes = 200 // of one element
)

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
)

// elements are the drawing and describing elements of SVG 1.1 and 2. All others are dropped with their content: script
// and foreignObject, animations, which could set a link to a script, metadata, and the private data of drawing
// programs.
var elements = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`svg g defs symbol use switch a title desc style view
		path rect circle ellipse line polyline polygon text tspan tref textPath image
		linearGradient radialGradient stop pattern clipPath mask marker filter
		feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
		feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
		feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`) {
		m[name] = true
	}
	return m
}()

// CleanSVG returns an SVG that draws the same and has no other effect: without scripts, event handlers, foreign objects,
// animations, document types and their entities, processing instructions, and without references, except to its own parts
// and to embedded pictures. It is well-formed, in UTF-8, without namespace prefixes except xlink. It returns an error if
// the input is not an SVG, or is so deep, large or entangled that drawing it would take for ever.
func CleanSVG(svg []byte) ([]byte, error) {
	if len(svg) > MaxSVG {
		return nil, tooLarge(len(svg), MaxSVG)
	}
	c := cleaner{dec: xml.NewDecoder(bytes.NewReader(svg))}
	// Text from a notebook is UTF-8, regardless of the encoding in its XML declaration.
	c.dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	c.dec.Entity = xml.HTMLEntity
	if !utf8.Valid(svg) {
		return nil, errors.New("it is not UTF-8")
	}
	for {
		token, err := c.dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("it is not well-formed XML: %w", err)
		}
		if err := c.token(token); err != nil {
			return nil, err
		}
	}
	if c.elements == 0 {
		return nil, errors.New("it has no svg element")
	}
	if err := c.refs.check(); err != nil {
		return nil, err
	}
	return c.out.Bytes(), nil
}

// cleaner writes the allowed parts of an SVG.
type cleaner struct {
	dec      *xml.Decoder
	out      bytes.Buffer
	open     []openElement // written and not yet closed
	dropped  int           // how deep the reader is within a dropped element
	elements int
	ended    bool // the root is closed
	style    bytes.Buffer
	refs     references
}

type openElement struct {
	name string
	ref  int // its index in the references, -1 without an id
}

func (c *cleaner) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return c.start(t)
	case xml.EndElement:
		if c.dropped > 0 {
			c.dropped--
			return nil
		}
		c.end()
	case xml.CharData:
		if c.dropped == 0 && len(c.open) > 0 {
			if c.open[len(c.open)-1].name == "style" {
				c.style.Write(t)
				return nil
			}
			return xml.EscapeText(&c.out, t)
		}
	}
	return nil // comments, processing instructions and document types are left out
}

func (c *cleaner) start(t xml.StartElement) error {
	if c.elements++; c.elements > maxElements {
		return fmt.Errorf("it has more than %d elements", maxElements)
	}
	if len(c.open)+c.dropped >= maxDepth {
		return fmt.Errorf("its elements are nested more than %d deep", maxDepth)
	}
	root := len(c.open) == 0
	ours := t.Name.Space == svgSpace || t.Name.Space == ""
	if root && c.dropped == 0 && (c.ended || !ours || t.Name.Local != "svg") {
		return fmt.Errorf("its outermost element is %q, not svg", clip(t.Name.Local))
	}
	if c.dropped > 0 || !ours || !elements[t.Name.Local] || c.within("style") {
		c.dropped++
		return nil
	}
	if len(t.Attr) > maxAttributes {
		return fmt.Errorf("an element has %d attributes, more than %d", len(t.Attr), maxAttributes)
	}
	c.out.WriteString("<" + t.Name.Local)
	if root {
		c.out.WriteString(` xmlns="` + svgSpace + `" xmlns:xlink="` + xlinkSpace + `"`)
	}
	ref := c.refs.element()
	seen := make([]string, 0, len(t.Attr))
	for _, a := range t.Attr {
		name, value, ok := attribute(a)
		// Two prefixes for one namespace can give the same name twice.
		if !ok || slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		c.out.WriteString(" " + name + `="`)
		if err := xml.EscapeText(&c.out, []byte(value)); err != nil {
			return err
		}
		c.out.WriteByte('"')
		switch {
		case name == "id":
			c.refs.name(ref, value)
		case name == "href" || name == "xlink:href":
			if id, ok := strings.CutPrefix(value, "#"); ok && t.Name.Local != "a" {
				c.refs.add(id)
			}
		default:
			c.refs.addURLs(value)
		}
	}
	c.out.WriteByte('>')
	c.open = append(c.open, openElement{t.Name.Local, ref})
	return nil
}

func (c *cleaner) end() {
	last := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if last.name == "style" {
		css := cleanCSS(c.style.String())
		c.style.Reset()
		c.refs.addURLs(css)
		// A buffer does not fail.
		_ = xml.EscapeText(&c.out, []byte(css))
	}
	c.refs.end(last.ref)
	c.out.WriteString("</" + last.name + ">")
	c.ended = len(c.open) == 0
}

// within reports whether the innermost open element has the name.
func (c *cleaner) within(name string) bool {
	return len(c.open) > 0 && c.open[len(c.open)-1].name == name
}

// attribute returns the name and value of an allowed attribute in the output.
func attribute(a xml.Attr) (name, value string, ok bool) {
	name = a.Name.Local
	switch a.Name.Space {
	case "":
	case xlinkSpace, "xlink":
		if name != "href" {
			return "", "", false
		}
		name = "xlink:href"
	case xmlSpace, "xml":
		if name != "space" && name != "lang" {
			return "", "", false
		}
		return "xml:" + name, a.Value, true
	default:
		return "", "", false
	}
	lower := strings.ToLower(name)
	switch {
	case name == "xmlns", strings.HasPrefix(lower, "on"), lower == "src", lower == "srcdoc", lower == "action", lower == "formaction":
		return "", "", false
	case lower == "href" || lower == "xlink:href":
		if name != "href" && name != "xlink:href" || !inside(a.Value) {
			return "", "", false
		}
	case name == "id" || name == "class":
	default:
		return name, cleanCSS(a.Value), true
	}
	return name, a.Value, true
}

// inside reports whether a reference stays within the SVG: to one of its parts, or to an embedded picture.
func inside(href string) bool {
	if strings.HasPrefix(href, "#") {
		return true
	}
	for _, mime := range []string{"png", "jpeg", "jpg", "gif", "webp"} {
		if rest, ok := strings.CutPrefix(href, "data:image/"+mime+";base64,"); ok {
			return !strings.ContainsAny(rest, ":;,\"'<>")
		}
	}
	return false
}

// clip shortens a name for an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
