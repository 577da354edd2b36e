package htmltext

import (
	"strings"

	"golang.org/x/net/html"
)

// kept are the attributes that the text depends on.
var kept = map[string]bool{"href": true, "alt": true, "colspan": true, "rowspan": true, "hidden": true}

// longestAttribute bounds addresses: a picture can be in one.
const longestAttribute = 2000

// reduce leaves scripts, styles, comments and most attributes out of markup, and ends it at the last tag within most bytes.
// left is how many characters of the later markup are not in it.
func reduce(markup string, most int) (reduced string, left int) {
	var out strings.Builder
	unseen := "" // the script or style that the tokenizer is in
	for t := html.NewTokenizer(strings.NewReader(markup)); ; {
		kind := t.Next()
		if kind == html.ErrorToken {
			return out.String(), left
		}
		raw := len(t.Raw())
		var piece string
		switch kind {
		case html.TextToken:
			if unseen != "" {
				continue
			}
			piece = string(t.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := t.TagName()
			if n := string(name); n == "script" || n == "style" {
				unseen = n
				continue
			}
			piece = tag(t, string(name))
		case html.EndTagToken:
			name, _ := t.TagName()
			if string(name) == unseen {
				unseen = ""
				continue
			}
			piece = "</" + string(name) + ">"
		default: // comments and doctypes
			continue
		}
		switch {
		case left > 0:
			left += size(t.Raw())
		case out.Len()+len(piece) > most:
			room := most - out.Len()
			if kind != html.TextToken || raw < most {
				left += size(t.Raw())
				break
			}
			// One text exceeds the whole limit.
			out.WriteString(strings.ToValidUTF8(piece[:room], ""))
			left += size([]byte(strings.ToValidUTF8(piece[room:], "")))
		default:
			out.WriteString(piece)
		}
	}
}

// tag is the start of an element with the attributes that are kept.
func tag(t *html.Tokenizer, name string) string {
	var b strings.Builder
	b.WriteString("<" + name)
	for more := true; more; {
		var key, value []byte
		key, value, more = t.TagAttr()
		if !kept[string(key)] && !hides(string(key), string(value)) {
			continue
		}
		if k := string(key); k == "style" {
			b.WriteString(" hidden")
		} else if len(value) <= longestAttribute {
			b.WriteString(" " + k + `="` + html.EscapeString(string(value)) + `"`)
		}
	}
	b.WriteString(">")
	return b.String()
}

// hides reports whether an attribute is a style that shows nothing.
func hides(key, value string) bool {
	if key != "style" || len(value) > longestAttribute {
		return false
	}
	return strings.Contains(strings.ReplaceAll(strings.ToLower(value), " ", ""), "display:none")
}
