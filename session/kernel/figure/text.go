package figure

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
)

// The bounds of a line.
const (
	mostText   = 400 // characters
	mostTraces = 6
	mostTitle  = 100 // characters
	mostName   = 40
)

// markup matches the markup of plotly's texts: "<b>Sales</b><br>by month".
var markup = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)

// clean returns a text as one line, cut to most visible characters.
func clean(s string, most int) string {
	if len(s) > 50*most {
		s = s[:50*most] // avoids work for text that is cut
	}
	s = textfmt.Plain(strings.ToValidUTF8(s, ""))
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Co, r), r == '\ufeff':
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return clip(s, most)
}

// clip shortens a text that is too long.
func clip(s string, most int) string {
	if textfmt.Size(s) <= most {
		return s
	}
	runes := []rune(s)
	return strings.TrimRight(string(runes[:textfmt.Before(runes, most-1)]), " ") + "…"
}

// quoted returns a text in quotation marks.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// plainWords matches texts that are unambiguous in a line without quotation marks.
var plainWords = regexp.MustCompile(`^[\pL\pN](?:[\pL\pN\pM _.:/%€$°+-]*[\pL\pN\pM%€$°)])?(?: ?[(\[][\pL\pN\pM _./%€$°²³-]*[)\]])?$`)

// said quotes a text if it would be misread without quotation marks.
func said(s string) string {
	if plainWords.MatchString(s) {
		return s
	}
	return quoted(s)
}

// number formats a number with four significant digits.
func number(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	if size := math.Abs(rounded); size != 0 && (size < 1e-4 || size >= 1e9) {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded+0, 'f', -1, 64)
}

// names formats the names of the axes: " (x: day, y: EUR)", "" if they have none.
func names(axes [][2]string) string {
	return bracketed(lo.FilterMap(axes, func(a [2]string, _ int) (string, bool) { return a[0] + ": " + said(a[1]), a[1] != "" }))
}

func bracketed(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
