package htmltext

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/nbduet/nbduet/session/textfmt"
)

// mostMarkup is how many bytes of markup are converted.
const mostMarkup = 400_000

// Of returns the text of an HTML output: "" if only a browser can run or draw its content. If the markup is too long, the
// last line says how much of it is left out.
func Of(markup string) (string, error) {
	reduced, left := reduce(strings.ToValidUTF8(markup, "\uFFFD"), mostMarkup)
	text, err := convert(reduced)
	if err != nil {
		return "", err
	}
	text = tidy(text)
	if left > 0 {
		text = strings.TrimLeft(text+"\n… ("+textfmt.Plural(left, "more character")+" of HTML)", "\n")
	}
	return text, nil
}

// convert converts reduced markup to Markdown.
func convert(reduced string) (string, error) {
	doc, err := html.Parse(strings.NewReader(reduced))
	if err != nil {
		return texts(reduced), nil //nolint:nilerr // it is nested too deeply, which is no reason to show nothing
	}
	prepare(doc)
	conv := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
			table.NewTablePlugin(
				table.WithSpanCellBehavior(table.SpanBehaviorMirror),
				table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
			),
		),
	)
	out, err := conv.ConvertNode(doc)
	if err != nil {
		return "", fmt.Errorf("convert HTML of %s to text: %w", textfmt.Plural(len(reduced), "byte"), err)
	}
	return unmasked.Replace(string(out)), nil
}

var (
	blanks = regexp.MustCompile(`\n{3,}`)
	// The converter's padding of table cells, at the ends of lines.
	ends = regexp.MustCompile(`[ \t]+\n`)
)

// tidy removes non-text characters and superfluous empty lines.
func tidy(s string) string {
	s = textfmt.Plain(textfmt.Lines(s))
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u00a0':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
	s = ends.ReplaceAllString(s+"\n", "\n")
	s = blanks.ReplaceAllString(s, "\n\n")
	return strings.TrimRight(strings.TrimLeft(s, "\n"), " \t\n")
}

// texts returns the text of markup that cannot be parsed, with lines broken at its tags.
func texts(markup string) string {
	var out strings.Builder
	for t := html.NewTokenizer(strings.NewReader(markup)); ; {
		switch t.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			out.Write(t.Text())
		case html.EndTagToken, html.SelfClosingTagToken:
			out.WriteByte('\n')
		default:
		}
	}
}

// size counts the characters that are left out.
func size(b []byte) int { return utf8.RuneCount(b) }
