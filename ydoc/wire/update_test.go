package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// b builds a message: ints become variable-length integers, strings length and bytes, []byte and byte stay as they are.
func b(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = wire.AppendUint(out, uint64(p))
		case uint64:
			out = wire.AppendUint(out, p)
		case string:
			out = wire.AppendVarString(out, p)
		case byte:
			out = append(out, p)
		case []byte:
			out = append(out, p...)
		}
	}
	return out
}

// item builds an update of one client, 5, with n structs from clock 10, and no deletes.
func item(n int, parts ...any) []byte {
	return b(1, n, 5, 10, b(parts...), 0)
}

// Info bytes of items of each kind that name their parent, a root type.
const (
	iDeleted = byte(1 + iota)
	iJSON
	iBinary
	iString
	iEmbed
	iFormat
	iType
	iAny
	iDoc
	iSkip

	withKey   = byte(0x20)
	withRight = byte(0x40)
	withLeft  = byte(0x80)
)

var root = b(1, "r")

func TestCheckUpdateAcceptsRecordedDocuments(t *testing.T) {
	for i, u := range realUpdates(t) {
		if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
			t.Errorf("update %d: %v", i, err)
		}
	}
}

func TestCheckUpdateAcceptsEveryContent(t *testing.T) {
	every := b(
		byte(117), 12, byte(127), byte(126), byte(125), byte(0x41), byte(124), make([]byte, 4), byte(123), make([]byte, 8),
		byte(122), make([]byte, 8), byte(121), byte(120), byte(119), "é😀", byte(118), 2, "", byte(126), "k", byte(117), 0,
		byte(116), 3, []byte{0xff, 0, 1}, byte(125), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f},
	)
	for name, u := range map[string][]byte{
		"nothing":                    b(0, 0),
		"a client without structs":   b(1, 0, 5, 10, 0),
		"collected":                  item(1, byte(0), 3),
		"a gap":                      item(1, iSkip, 3),
		"deleted":                    item(1, iDeleted, root, 3),
		"JSON":                       item(1, iJSON, root, 3, `{"a":[1e5,"\"]"]}`, "undefined", "null"),
		"binary":                     item(1, iBinary, root, 2, []byte{0xff, 0xfe}),
		"a string":                   item(1, iString, root, "x = é😀\x00"),
		"an embed":                   item(1, iEmbed, root, `{"image":1}`),
		"a format mark":              item(1, iFormat, root, "bold", "true"),
		"an array":                   item(1, iType, root, 0),
		"a map":                      item(1, iType, root, 1),
		"a text":                     item(1, iType, root, 2),
		"an element":                 item(1, iType, root, 3, "div"),
		"a fragment":                 item(1, iType, root, 4),
		"a hook":                     item(1, iType, root, 5, "h"),
		"an XML text":                item(1, iType, root, 6),
		"any values":                 item(1, iAny, root, 1, every),
		"a document":                 item(1, iDoc, root, "guid", byte(118), 1, "gc", byte(121)),
		"a root without a name":      item(1, iAny, 1, "", 1, byte(126)),
		"a map entry":                item(1, iAny|withKey, root, "k", 1, byte(126)),
		"an empty map key":           item(1, iAny|withKey, root, "", 1, byte(126)),
		"a parent by id":             item(1, iAny, 0, 6, 99, 1, byte(126)),
		"a parent of the same id":    item(1, iAny, 0, 5, 9, 1, byte(126)),
		"a left neighbour":           item(1, iString|withLeft, 5, 9, "x"),
		"a right neighbour":          item(1, iString|withRight, 6, 90, "x"),
		"both, in a map":             item(1, iString|withLeft|withRight|withKey, 5, 9, 6, 90, "x"),
		"a reference to the sibling": item(2, iString, root, "ab", iString|withLeft, 5, 11, "c"),
		"the last clock":             b(1, 1, 5, wire.MaxInt-1, byte(0), 1, 0),
		"53-bit clients":             b(1, 1, wire.MaxInt, 0, byte(0), 1, 1, wire.MaxInt, 1, 0, 1),
		"deletes":                    b(0, 2, 7, 2, 0, 1, 5, 3, 9, 0),
		"clients in any order":       b(3, 1, 7, 0, byte(0), 1, 1, 9, 0, byte(0), 1, 1, 8, 0, byte(0), 1, 0),
	} {
		if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
			t.Errorf("%s (%x): %v", name, u, err)
		}
	}
}

func TestCheckUpdateRefuses(t *testing.T) {
	over := uint64(wire.MaxInt + 1)
	deep := b(strings.Repeat("\x75\x01", wire.DefaultLimits.Depth+44))[len(b(uint64(2*(wire.DefaultLimits.Depth+44)))):]
	for name, c := range map[string]struct {
		update []byte
		want   wire.Reason
	}{
		"nothing":                          {nil, wire.ReasonTruncated},
		"no delete set":                    {b(0), wire.ReasonTruncated},
		"bytes after the end":              {b(0, 0, 0), wire.ReasonTrailing},
		"the loop of billions":             {[]byte{0x80, 0x80, 0x80, 0x80, 0x40}, wire.ReasonLimit},
		"a count beyond 53 bits":           {b(over, 0), wire.ReasonOverflow},
		"an integer of 11 bytes":           {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, wire.ReasonOverflow},
		"an integer of 65 bits":            {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, wire.ReasonOverflow},
		"a client beyond 53 bits":          {b(1, 1, over, 0, byte(0), 1, 0), wire.ReasonOverflow},
		"a clock beyond 53 bits":           {b(1, 1, 5, over, byte(0), 1, 0), wire.ReasonOverflow},
		"a clock that passes 53 bits":      {b(1, 1, 5, wire.MaxInt, byte(0), 1, 0), wire.ReasonOverflow},
		"the same client twice":            {b(2, 1, 5, 0, byte(0), 1, 1, 5, 1, byte(0), 1, 0), wire.ReasonDuplicate},
		"the same client, others between":  {b(3, 1, 5, 0, byte(0), 1, 1, 9, 0, byte(0), 1, 1, 5, 1, byte(0), 1, 0), wire.ReasonDuplicate},
		"deletes of a client twice":        {b(0, 2, 5, 1, 0, 1, 5, 1, 2, 1), wire.ReasonDuplicate},
		"more structs than announced":      {b(1, 9, 5, 0, byte(0), 1, 0), wire.ReasonTruncated},
		"collected, of no length":          {item(1, byte(0), 0), wire.ReasonEmpty},
		"a gap of no length":               {item(1, iSkip, 0), wire.ReasonEmpty},
		"deleted, of no length":            {item(1, iDeleted, root, 0), wire.ReasonEmpty},
		"no JSON":                          {item(1, iJSON, root, 0), wire.ReasonEmpty},
		"an empty string":                  {item(1, iString, root, ""), wire.ReasonEmpty},
		"no values":                        {item(1, iAny, root, 0), wire.ReasonEmpty},
		"a delete of no length":            {b(0, 1, 5, 1, 3, 0), wire.ReasonEmpty},
		"a delete that passes 53 bits":     {b(0, 1, 5, 1, wire.MaxInt, 1), wire.ReasonOverflow},
		"collected with flags":             {item(1, withKey, 3), wire.ReasonUnknown},
		"a gap with flags":                 {item(1, iSkip|withLeft, 3), wire.ReasonUnknown},
		"content 11":                       {item(1, byte(11), root, 3), wire.ReasonUnknown},
		"content 31":                       {item(1, byte(31), root, 3), wire.ReasonUnknown},
		"parent info 2":                    {item(1, iAny, 2, "r", 1, byte(126)), wire.ReasonUnknown},
		"shared type 7":                    {item(1, iType, root, 7), wire.ReasonUnknown},
		"shared type 256":                  {item(1, iType, root, 256), wire.ReasonUnknown},
		"value tag 115":                    {item(1, iAny, root, 1, byte(115)), wire.ReasonUnknown},
		"value tag 128":                    {item(1, iAny, root, 1, byte(128)), wire.ReasonUnknown},
		"left of itself":                   {item(1, iString|withLeft, 5, 10, "x"), wire.ReasonReference},
		"right of itself":                  {item(1, iString|withRight, 5, 10, "x"), wire.ReasonReference},
		"its own parent":                   {item(1, iAny, 0, 5, 10, 1, byte(126)), wire.ReasonReference},
		"a later sibling":                  {item(2, iString|withLeft, 5, 11, "x", iString, root, "y"), wire.ReasonReference},
		"inside itself":                    {item(1, iString|withLeft, 5, 11, "xyz"), wire.ReasonReference},
		"between one and the same":         {item(1, iString|withLeft|withRight, 6, 9, 6, 9, "x"), wire.ReasonReference},
		"a root name that is no UTF-8":     {item(1, iAny, 1, "\xff", 1, byte(126)), wire.ReasonText},
		"a key that is no UTF-8":           {item(1, iAny|withKey, root, "\xc0\x80", 1, byte(126)), wire.ReasonText},
		"text that is no UTF-8":            {item(1, iString, root, "a\xed\xa0\x80"), wire.ReasonText},
		"a value that is no UTF-8":         {item(1, iAny, root, 1, byte(119), "\xf8"), wire.ReasonText},
		"an object key that is no UTF-8":   {item(1, iAny, root, 1, byte(118), 1, "\xff", byte(126)), wire.ReasonText},
		"an element name that is no UTF-8": {item(1, iType, root, 3, "\xff"), wire.ReasonText},
		"a guid that is no UTF-8":          {item(1, iDoc, root, "\xff", byte(118), 0), wire.ReasonText},
		"invalid JSON":                     {item(1, iJSON, root, 1, "{"), wire.ReasonJSON},
		"an embed of nothing":              {item(1, iEmbed, root, ""), wire.ReasonJSON},
		"an embed of undefined":            {item(1, iEmbed, root, "undefined"), wire.ReasonJSON},
		"an invalid format value":          {item(1, iFormat, root, "bold", "tru"), wire.ReasonJSON},
		"JSON numbers beyond a float":      {item(1, iJSON, root, 1, "[1,-1e999]"), wire.ReasonJSON},
		"a long number beyond a float":     {item(1, iJSON, root, 1, strings.Repeat("9", 400)), wire.ReasonJSON},
		"JSON nested too deep":             {item(1, iJSON, root, 1, strings.Repeat("[", wire.DefaultLimits.Depth+44)+strings.Repeat("]", wire.DefaultLimits.Depth+44)), wire.ReasonLimit},
		"values nested too deep":           {item(1, iAny, root, 1, deep, byte(126)), wire.ReasonLimit},
		"a huge array":                     {item(1, iAny, root, 1, byte(117), 1<<40), wire.ReasonTruncated},
		"a huge object":                    {item(1, iAny, root, 1, byte(118), 1<<40), wire.ReasonTruncated},
		"huge bytes":                       {item(1, iAny, root, 1, byte(116), 1<<40), wire.ReasonTruncated},
		"a huge binary":                    {item(1, iBinary, root, 1<<40), wire.ReasonTruncated},
		"a huge string":                    {item(1, iString, root, 1<<40), wire.ReasonTruncated},
		"a cut float":                      {b(1, 1, 5, 0, iAny, root, 1, byte(123), 0, 0), wire.ReasonTruncated},
		"an integer beyond 53 bits":        {item(1, iAny, root, 1, byte(125), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f}), wire.ReasonOverflow},
		"an integer without end":           {item(1, iAny, root, 1, byte(125), []byte(strings.Repeat("\x80", 12)), 0), wire.ReasonOverflow},
		"document options that are null":   {item(1, iDoc, root, "guid", byte(126)), wire.ReasonShape},
		"a format mark as a map value":     {item(1, iFormat|withKey, root, "k", "bold", "1"), wire.ReasonShape},
	} {
		err := wire.CheckUpdate(c.update, wire.DefaultLimits)
		var fault *wire.FormatError
		if !errors.As(err, &fault) {
			t.Errorf("%s (%x) is accepted", name, c.update)
		} else if fault.Reason != c.want || fault.Offset > len(c.update) {
			t.Errorf("%s: %v (at %d of %d), want %q", name, err, fault.Offset, len(c.update), c.want)
		}
	}
}

func TestCheckUpdateKeepsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		set    func(*wire.Limits)
		update []byte
	}{
		"bytes":         {func(l *wire.Limits) { l.UpdateBytes = 7 }, item(1, byte(0), 3)[:7:7]},
		"structs":       {func(l *wire.Limits) { l.Structs = 2 }, item(2, byte(0), 3, byte(0), 3)},
		"clients":       {func(l *wire.Limits) { l.Clients = 1 }, item(1, byte(0), 3)},
		"delete ranges": {func(l *wire.Limits) { l.DeleteRanges = 2 }, b(0, 2, 7, 1, 0, 1, 5, 1, 0, 1)},
		"values":        {func(l *wire.Limits) { l.Values = 4 }, item(1, iAny, root, 2, byte(117), 2, byte(126), byte(126), byte(126))},
		"JSON values":   {func(l *wire.Limits) { l.Values = 4 }, item(1, iJSON, root, 2, `[1,2]`, `{"a":1}`)},
		"documents":     {func(l *wire.Limits) { l.Subdocs = 1 }, item(1, iDoc, root, "g", byte(118), 0)},
		"strings":       {func(l *wire.Limits) { l.StringBytes = 4 }, item(1, iString, root, "😀")},
		"binaries":      {func(l *wire.Limits) { l.StringBytes = 4 }, item(1, iBinary, root, "😀")},
		"keys":          {func(l *wire.Limits) { l.KeyBytes = 4 }, item(1, iAny|withKey, root, "keys", 1, byte(126))},
		"depth":         {func(l *wire.Limits) { l.Depth = 3 }, item(1, iAny, root, 1, byte(117), 1, byte(117), 1, byte(126))},
	} {
		lim := wire.DefaultLimits
		c.set(&lim)
		if name == "bytes" {
			c.update = item(1, byte(0), 3)
			lim.UpdateBytes = len(c.update)
		}
		if err := wire.CheckUpdate(c.update, lim); err != nil {
			t.Errorf("%s: at the limit: %v", name, err)
		}
		shrink(&lim, name)
		var fault *wire.FormatError
		err := wire.CheckUpdate(c.update, lim)
		must.True(t, errors.As(err, &fault), must.Sprint(name))
		test.Eq(t, wire.ReasonLimit, fault.Reason, test.Sprint(name))
	}
}

func shrink(l *wire.Limits, name string) {
	field := map[string]*int{
		"bytes": &l.UpdateBytes, "structs": &l.Structs, "clients": &l.Clients, "delete ranges": &l.DeleteRanges,
		"values": &l.Values, "JSON values": &l.Values, "documents": &l.Subdocs, "strings": &l.StringBytes,
		"binaries": &l.StringBytes, "keys": &l.KeyBytes, "depth": &l.Depth,
	}[name]
	*field--
}

func TestTextIsCountedInUTF16(t *testing.T) {
	// The second item names the last unit of the first as its left neighbour, which must be before its own clock.
	for _, s := range []string{"a", "é", "日本語", "😀", "a😀é", strings.Repeat("xé😀", 50), strings.Repeat("a", 99)} {
		n := 0
		for _, r := range s {
			n++
			if r > 0xffff {
				n++
			}
		}
		last := item(2, iString, root, s, iString|withLeft, 5, 10+n-1, "z")
		if err := wire.CheckUpdate(last, wire.DefaultLimits); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		beyond := item(2, iString, root, s, iString|withLeft, 5, 10+n, "z")
		if wire.CheckUpdate(beyond, wire.DefaultLimits) == nil {
			t.Errorf("%q is counted as longer than %d", s, n)
		}
	}
}

func TestManyClients(t *testing.T) {
	build := func(n int, client func(i int) int) []byte {
		u := b(n)
		for i := range n {
			u = append(u, b(1, client(i), 0, byte(0), 1)...)
		}
		return append(u, 0)
	}
	for _, n := range []int{1, 2, 31, 32, 33, 64, 65, 66, 200, 5000} {
		down := func(i int) int { return n - i }
		up := func(i int) int { return i }
		mixed := func(i int) int { return i ^ 21 }
		for name, f := range map[string]func(int) int{"descending": down, "ascending": up, "mixed": mixed} {
			if err := wire.CheckUpdate(build(n, f), wire.DefaultLimits); err != nil {
				t.Errorf("%d clients, %s: %v", n, name, err)
			}
			for _, first := range []int{0, n / 2, n - 1} {
				u := build(n+1, func(i int) int {
					if i == n {
						return f(first)
					}
					return f(i)
				})
				if wire.CheckUpdate(u, wire.DefaultLimits) == nil {
					t.Errorf("%d clients, %s, and client %d again: accepted", n, name, f(first))
				}
			}
		}
	}
}

func TestCheckUpdateDoesNotAllocate(t *testing.T) {
	u := append(b(2), b(2, 9, 0, iString, root, strings.Repeat("text ", 1000), iAny|withLeft, 9, 3, 2, byte(126), byte(117), 1, byte(120),
		1, 5, 10, iType|withKey, root, "k", 1, 1, 9, 1, 3, 4)...)
	if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = wire.CheckUpdate(u, wire.DefaultLimits) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
