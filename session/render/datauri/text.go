package datauri

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// A File is one data: URI of a text.
type File struct {
	MIME  string
	Short string // its replacement in the short text
	uri   string
}

const svg = "image/svg+xml"

// jpegs are other names of image/jpeg.
var jpegs = []string{"image/jpg", "image/pjpeg"}

// pictures are the types of pictures that answers can show.
var pictures = []string{"image/png", "image/jpeg", "image/webp", "image/gif", svg}

// IsImage reports whether the file is a picture that answers can show.
func (f File) IsImage() bool {
	return slices.Contains(pictures, f.MIME) || slices.Contains(jpegs, f.MIME)
}

// Data returns the file as nbformat has it in an output: base64, or the text of an SVG.
func (f File) Data() string {
	head, data, _ := strings.Cut(f.uri, ",")
	encoded := strings.HasSuffix(strings.ToLower(head), ";base64")
	if encoded {
		data = strings.NewReplacer("%2B", "+", "%2b", "+", "%2F", "/", "%2f", "/", "%3D", "=", "%3d", "=", "%0A", "", "-", "+", "_", "/").Replace(data)
	}
	if f.MIME != svg {
		return data
	}
	if encoded {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Join(strings.Fields(data), ""), "=")); err == nil {
			return string(b)
		}
		return data
	}
	if text, err := url.PathUnescape(data); err == nil {
		return text
	}
	return data
}

var (
	// A data: URI up to its data: base64, or a plain or escaped SVG.
	begin = regexp.MustCompile(`(?i)data:([a-z0-9.+-]+/[a-z0-9.+-]+)(?:(?:;[^,;"'\s()<>]*)*;base64,|(?:;[^,;"'\s()<>]*)*,(?:<|%3C))`)
	// An abbreviation by [Abbreviate], including edited variants.
	short = regexp.MustCompile(`(?i)data:[a-z0-9.+-]+/[a-z0-9.+-]+,\s*[\d.]+\s*(?:[km]i?b|b|bytes?)\b(?: #\d+)?`)
)

const (
	// leastData is the shortest data of a URI, in bytes, that is abbreviated.
	leastData = 32
	// lineMIME and linePEM are the lengths of lines that encoders break base64 into.
	lineMIME, linePEM = 76, 64
)

// Abbreviate returns a text with its data: URIs abbreviated, and the files in them, each once. Equal data has the same
// abbreviation everywhere in the text, and different data a different one.
func Abbreviate(text string) (string, []File) {
	if !strings.Contains(text, "data:") {
		return text, nil
	}
	var out strings.Builder
	var files []File
	known, taken := map[string]string{}, map[string]bool{}
	rest := 0
	for rest < len(text) {
		m := begin.FindStringSubmatchIndex(text[rest:])
		if m == nil {
			break
		}
		from, data := rest+m[0], rest+m[1]
		mime := strings.ToLower(text[rest+m[2] : rest+m[3]])
		end := endOf(text, from, data)
		if end-data < leastData || text[data-1] != ',' && mime != svg {
			out.WriteString(text[rest:data])
			rest = data
			continue
		}
		f := File{MIME: mime, uri: text[from:end]}
		if f.Short = known[f.uri]; f.Short == "" {
			base := fmt.Sprintf("data:%s, %s", mime, sizeOf(f))
			f.Short = base
			for n := 2; taken[f.Short] || strings.Contains(text, f.Short); n++ {
				f.Short = fmt.Sprintf("%s #%d", base, n)
			}
			known[f.uri], taken[f.Short] = f.Short, true
			files = append(files, f)
		}
		out.WriteString(text[rest:from] + f.Short)
		rest = end
	}
	out.WriteString(text[rest:])
	return out.String(), files
}

// endOf returns the end of a URI that begins at from and whose data begins at data.
func endOf(text string, from, data int) int {
	if text[data-1] != ',' { // an SVG
		ends := "\"' \t\n)<>"
		if from > 0 && strings.IndexByte("\"'`", text[from-1]) >= 0 {
			ends = text[from-1 : from]
		}
		if n := strings.IndexAny(text[data:], ends); n >= 0 {
			return data + n
		}
		return len(text)
	}
	end, line := data, 0
	for end < len(text) {
		n := strings.IndexFunc(text[end:], func(r rune) bool { return !isData(r) })
		if n < 0 {
			n = len(text) - end
		}
		if n > 0 {
			line, end = n, end+n
		}
		// Only the last line may have another length.
		more := strings.TrimLeft(text[end:], "\r\n")
		if line != lineMIME && line != linePEM || len(more) == len(text)-end || more == "" || !isData(rune(more[0])) {
			break
		}
		end = len(text) - len(more)
	}
	return end
}

func isData(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/=-_%", r)
}

// sizeOf formats the size of a file.
func sizeOf(f File) string {
	n := len(f.Data())
	if f.MIME != svg {
		n = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(strings.Join(strings.Fields(f.Data()), ""), "=")))
	}
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return textfmt.Kilobytes(n)
}

// Short is [Abbreviate] without the files.
func Short(text string) string {
	text, _ = Abbreviate(text)
	return text
}

// Form returns the form of a text for a search for part: with "\n" line ends, and abbreviated, so that part is not found
// within data, unless part has data itself.
func Form(text, part string) string {
	text = textfmt.Lines(text)
	if _, files := Abbreviate(part); len(files) > 0 {
		return text
	}
	return Short(text)
}

// Edit makes an edit of the [Form] of a text for a search for part. The result has the line ends and the data of the text.
// what names the text in an error.
func Edit(what, text, part string, edit func(form string) (string, error)) (string, error) {
	out, err := edit(Form(text, part))
	if err != nil {
		return "", err
	}
	if out, err = Restore(out, text); err != nil {
		return "", fmt.Errorf("nothing was changed: the %s then %w", what, err)
	}
	return textdiff.LineEnds(out, text), nil
}

// Restore returns a text with the data of its abbreviations, from the first of the sources that has it. An unknown
// abbreviation is an error, unless a source has it literally.
func Restore(text string, sources ...string) (string, error) {
	if !short.MatchString(text) {
		return text, nil
	}
	data := map[string]string{}
	var names []string
	for _, s := range sources {
		reduced, files := Abbreviate(s)
		for _, f := range files {
			if _, ok := data[f.Short]; !ok {
				data[f.Short], names = f.uri, append(names, f.Short)
			}
		}
		for _, own := range short.FindAllString(reduced, -1) {
			if _, ok := data[own]; !ok {
				data[own] = own
			}
		}
	}
	var unknown string
	out := short.ReplaceAllStringFunc(text, func(s string) string {
		uri, ok := data[s]
		if !ok && unknown == "" {
			unknown = s
		}
		return uri
	})
	if unknown != "" {
		return "", &UnknownError{unknown, names}
	}
	return out, nil
}

// An UnknownError reports an abbreviation without data.
type UnknownError struct {
	Short string
	known []string
}

func (e *UnknownError) Error() string {
	out := fmt.Sprintf("has %s, the short form of unknown data: ", textfmt.Quoted(e.Short))
	if len(e.known) == 0 {
		return out + "leave it out, or write the whole data: URI"
	}
	return out + "write " + textfmt.QuotedList(e.known) + " unchanged, or change only the words around it" + textfmt.Hint(" with edit_text")
}
