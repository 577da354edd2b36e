package htmltext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of tables. A few bytes of markup could ask for a million cells, all with one long text.
const (
	mostSpanned = 200_000 // bytes of cells in all their places, if these are more than one
	mostCells   = 200_000 // rows of a table times its longest row
)

// The converter writes these characters as entities, so that they are not read as HTML. They are replaced while it works by
// characters of Unicode's private use area, which do not occur in texts.
var (
	masked   = strings.NewReplacer("<", "\ue0f4", ">", "\ue0f5", "&", "\ue0f6", "\ue0f4", "", "\ue0f5", "", "\ue0f6", "")
	unmasked = strings.NewReplacer("\ue0f4", "<", "\ue0f5", ">", "\ue0f6", "&")
)

// A preparer changes a document so that its conversion is short and its tables stay tables.
type preparer struct {
	spanned int // bytes of cells in more than one place so far
}

// prepare changes a document before it is converted.
func prepare(doc *html.Node) {
	p := preparer{}
	p.children(doc, false)
}

// children prepares the content of a node; cell reports whether it is in a table cell.
func (p *preparer) children(n *html.Node, cell bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		p.node(child, cell)
		child = next
	}
}

func (p *preparer) node(n *html.Node, cell bool) {
	if n.Type == html.TextNode {
		n.Data = masked.Replace(n.Data)
		if cell {
			n.Data = strings.ReplaceAll(n.Data, "|", `\|`)
		}
	}
	if n.Type != html.ElementNode {
		p.children(n, cell)
		return
	}
	if unread(n) {
		n.Parent.RemoveChild(n)
		return
	}
	switch n.DataAtom {
	case atom.Td, atom.Th:
		p.span(n)
		p.children(n, n.Parent != nil && !slices.ContainsFunc(slices.Collect(n.Descendants()), isTable))
		return
	case atom.A:
		p.children(n, cell)
		link(n)
		return
	case atom.Img:
		picture(n)
		return
	case atom.Table:
		p.children(n, false)
		bound(n)
		return
	}
	p.children(n, cell)
	if cell {
		flatten(n)
	}
}

func isTable(n *html.Node) bool { return n.DataAtom == atom.Table }

// unread reports whether an element has no readable content, or is hidden.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Svg, atom.Canvas, atom.Template, atom.Iframe, atom.Object, atom.Audio, atom.Video:
		return true
	}
	_, hidden := attribute(n, "hidden")
	return hidden
}

// span limits the places that cells fill to the size of a text.
func (p *preparer) span(n *html.Node) {
	places := count(n, "colspan") * count(n, "rowspan")
	if places == 1 {
		return
	}
	each := len("| ")
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			each += len(inner.Data)
		}
	}
	if p.spanned+places*each > mostSpanned {
		n.Attr = nil
		return
	}
	p.spanned += places * each
}

// bound converts a table that would become too large to unformatted text: all rows of a Markdown table are as long as the
// longest. The converter leaves tables with a presentation role alone.
func bound(n *html.Node) {
	row, cells, rows, longest := -1, 0, 0, 0
	above := map[int]int{} // how many more cells of earlier rows reach down into each row
	reaching := 0
	for inner := range n.Descendants() {
		switch inner.DataAtom {
		case atom.Tr:
			row++
			reaching += above[row]
			cells = reaching
			rows = max(rows, row+1)
		case atom.Td, atom.Th:
			wide, high := count(inner, "colspan"), count(inner, "rowspan")
			cells += wide
			if high > 1 {
				above[row+1] += wide
				above[row+high] -= wide
				rows = max(rows, row+high)
			}
		}
		longest = max(longest, cells)
	}
	if rows*longest > mostCells {
		n.Attr = []html.Attribute{{Key: "role", Val: "presentation"}}
	}
}

// count returns how many places a cell fills in one direction.
func count(n *html.Node, key string) int {
	value, ok := attribute(n, key)
	if !ok {
		return 1
	}
	many, err := strconv.Atoi(value)
	if err != nil || many > mostSpanned {
		return mostSpanned
	}
	return max(many, 1)
}

// link replaces a link by its text, followed by the address.
func link(n *html.Node) {
	href, _ := attribute(n, "href")
	n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
	scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(href)), ":")
	switch {
	case href == "", strings.HasPrefix(href, "#"):
		return
	case found && (scheme == "javascript" || scheme == "data" || scheme == "blob"):
		return
	case n.FirstChild != nil && n.FirstChild == n.LastChild && strings.TrimSpace(n.FirstChild.Data) == href:
		return
	}
	n.AppendChild(text(masked.Replace(" (" + href + ")")))
}

// picture replaces an image by its text.
func picture(n *html.Node) {
	alt, _ := attribute(n, "alt")
	n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
	n.AppendChild(text(masked.Replace(strings.TrimSpace("[image "+alt) + "]")))
}

// blocks are the elements that begin a new line.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Blockquote: true, atom.Br: true, atom.Dd: true, atom.Details: true,
	atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Figure: true, atom.H1: true, atom.H2: true, atom.H3: true,
	atom.H4: true, atom.H5: true, atom.H6: true, atom.Hr: true, atom.Li: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Ul: true,
}

// flatten makes an element within a cell inline: a row of a table is one line.
func flatten(n *html.Node) {
	if !blocks[n.DataAtom] {
		return
	}
	n.InsertBefore(text(" "), n.FirstChild)
	n.AppendChild(text(" "))
	n.Data, n.DataAtom, n.Attr = "span", atom.Span, nil
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func attribute(n *html.Node, key string) (string, bool) {
	a, ok := lo.Find(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	return a.Val, ok
}
