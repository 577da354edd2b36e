package python

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// formatted is a value of an f-string: value, conversion, format.
func (in *Interp) formatted(a starlark.Tuple) (starlark.Value, error) {
	s, err := in.formatOne(a[0], text(a[1]), text(a[2]))
	return starlark.String(s), err
}

func (in *Interp) formatOne(v starlark.Value, conv, spec string) (string, error) {
	switch conv {
	case "r", "a":
		s, err := in.repr(v)
		if err != nil {
			return "", err
		}
		if conv == "a" {
			s = ascii(s)
		}
		v = starlark.String(s)
	case "s":
		s, err := in.str(v)
		if err != nil {
			return "", err
		}
		v = starlark.String(s)
	}
	return in.formatSpec(v, spec)
}

// ascii escapes what is not ASCII.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 128:
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(sprintf(`\x%02x`, r))
		case r < 0x10000:
			b.WriteString(sprintf(`\u%04x`, r))
		default:
			b.WriteString(sprintf(`\U%08x`, r))
		}
	}
	return b.String()
}

// layout is a parsed format: [[fill]align][sign][#][0][width][,][.precision][type].
type layout struct {
	fill        string
	align, sign byte
	alternate   bool
	width       int
	grouping    byte
	precision   int // -1 for none
	kind        byte
}

func parseLayout(spec string) (layout, bool) {
	l := layout{fill: " ", precision: -1}
	if _, n := utf8.DecodeRuneInString(spec); len(spec) > n && strings.IndexByte("<>^=", spec[n]) >= 0 {
		l.fill, l.align, spec = spec[:n], spec[n], spec[n+1:]
	} else if spec != "" && strings.IndexByte("<>^=", spec[0]) >= 0 {
		l.align, spec = spec[0], spec[1:]
	}
	if spec != "" && strings.IndexByte("+- ", spec[0]) >= 0 {
		l.sign, spec = spec[0], spec[1:]
	}
	if strings.HasPrefix(spec, "#") {
		l.alternate, spec = true, spec[1:]
	}
	if strings.HasPrefix(spec, "0") {
		if l.align == 0 {
			l.fill, l.align = "0", '='
		}
		spec = spec[1:]
	}
	digits := func() int {
		n := 0
		for spec != "" && isDigit(rune(spec[0])) {
			n = n*10 + int(spec[0]-'0')
			spec = spec[1:]
		}
		return n
	}
	l.width = digits()
	if spec != "" && (spec[0] == ',' || spec[0] == '_') {
		l.grouping, spec = spec[0], spec[1:]
	}
	if strings.HasPrefix(spec, ".") {
		spec = spec[1:]
		l.precision = digits()
	}
	if spec != "" {
		l.kind, spec = spec[0], spec[1:]
	}
	return l, spec == ""
}

// formatSpec is format() of a value.
func (in *Interp) formatSpec(v starlark.Value, spec string) (string, error) {
	if x, ok := v.(*instance); ok {
		if s, found, err := x.method("__format__", starlark.String(spec)); found || err != nil {
			return in.textOf(s, "__format__", err)
		}
	}
	if spec == "" {
		return in.str(v)
	}
	l, ok := parseLayout(spec)
	if !ok {
		return "", in.exceptionf("ValueError", "Invalid format specifier '%s' for object of type '%s'", spec, in.typeName(v))
	}
	if n := asNumber(v); isNumber(n) && (n == v || l.kind != 0) {
		return in.formatNumber(n, l)
	}
	if l.kind != 0 && l.kind != 's' {
		return "", in.exceptionf("ValueError", "Unknown format code '%c' for object of type '%s'", l.kind, in.typeName(v))
	}
	s, err := in.str(v)
	if err != nil {
		return "", err
	}
	if l.precision >= 0 && utf8.RuneCountInString(s) > l.precision {
		s = string([]rune(s)[:l.precision])
	}
	if l.align == 0 {
		l.align = '<'
	}
	return l.pad("", s), nil
}

func (in *Interp) formatNumber(v starlark.Value, l layout) (string, error) {
	var sign, body string
	n, isInt := v.(starlark.Int)
	switch {
	case isInt && strings.IndexByte("\x00dnbxXoc", l.kind) >= 0:
		if n.Sign() < 0 {
			sign = "-"
		}
		if l.kind == 'c' {
			k, _ := n.Int64()
			return l.pad("", string(rune(k))), nil
		}
		base := map[byte]int{'b': 2, 'o': 8, 'x': 16, 'X': 16}[l.kind]
		if base == 0 {
			base = 10
		}
		body = new(big.Int).Abs(n.BigInt()).Text(base)
		if l.kind == 'X' {
			body = strings.ToUpper(body)
		}
		if l.grouping != 0 {
			body = group(body, l.grouping)
		}
		if l.alternate && base != 10 {
			sign += "0" + string(l.kind)
		}
	case strings.IndexByte("\x00eEfFgGn%", l.kind) >= 0:
		f, _ := starlark.AsFloat(v)
		if f < 0 || f == 0 && math.Signbit(f) {
			sign, f = "-", -f
		}
		body = formatFloatAs(f, l)
	default:
		return "", in.exceptionf("ValueError", "Unknown format code '%c' for object of type '%s'", l.kind, in.typeName(v))
	}
	if l.sign != 0 && l.sign != '-' && !strings.HasPrefix(sign, "-") {
		sign = string(l.sign) + sign
	}
	if l.align == 0 {
		l.align = '>'
	}
	return l.pad(sign, body), nil
}

func formatFloatAs(f float64, l layout) string {
	precision := l.precision
	if precision < 0 {
		precision = 6
	}
	var s string
	switch l.kind {
	case 'f', 'F':
		s = strconv.FormatFloat(f, 'f', precision, 64)
	case 'e', 'E':
		s = strconv.FormatFloat(f, l.kind, precision, 64)
	case '%':
		s = strconv.FormatFloat(f*100, 'f', precision, 64) + "%"
	case 0:
		if l.precision < 0 {
			s = formatFloat(f)
			break
		}
		fallthrough
	default:
		precision = max(precision, 1)
		exp := 0
		if f != 0 {
			exp = int(math.Floor(math.Log10(f)))
		}
		if exp < -4 || exp >= precision {
			s = strconv.FormatFloat(f, 'e', precision-1, 64)
			mantissa, e, _ := strings.Cut(s, "e")
			s = trimZeros(mantissa) + "e" + e
		} else {
			s = trimZeros(strconv.FormatFloat(f, 'f', max(precision-1-exp, 0), 64))
		}
		if l.kind == 0 && !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	}
	if l.grouping != 0 {
		whole, rest, found := strings.Cut(s, ".")
		s = group(whole, l.grouping)
		if found {
			s += "." + rest
		}
	}
	return s
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func group(digits string, by byte) string {
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(by)
		}
		b.WriteRune(c)
	}
	return b.String()
}

func (l layout) pad(sign, body string) string {
	n := l.width - utf8.RuneCountInString(sign) - utf8.RuneCountInString(body)
	if n <= 0 {
		return sign + body
	}
	switch l.align {
	case '<':
		return sign + body + strings.Repeat(l.fill, n)
	case '^':
		return strings.Repeat(l.fill, n/2) + sign + body + strings.Repeat(l.fill, n-n/2)
	case '=':
		return sign + strings.Repeat(l.fill, n) + body
	}
	return strings.Repeat(l.fill, n) + sign + body
}
