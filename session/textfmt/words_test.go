package textfmt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

func TestCutKeepsShortText(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("é", 100)} {
		got, was := Cut(s, 100)
		test.Eq(t, s, got)
		test.False(t, was)
	}
}

func TestCutKeepsHeadAndTail(t *testing.T) {
	s := strings.Repeat("a", 5000) + strings.Repeat("z", 5000)
	got, was := Cut(s, 200)
	must.True(t, was)
	must.LessEq(t, 200, Size(got))
	test.StrHasPrefix(t, "aaaa", got, test.Sprint("head or tail is missing"))
	test.StrHasSuffix(t, "zzzz", got, test.Sprint("head or tail is missing"))
	kept := strings.Count(got, "a") + strings.Count(got, "z") - strings.Count(Marker(0), "a")
	if want := Marker(10_000 - kept); !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}

// For any limit, the result is within it, is valid, and is made of whole characters of the original.
func TestCutAtEveryLimit(t *testing.T) {
	flag, family, accented, toned := "🏴\U000e0067\U000e0062\U000e007f", "👨‍👩‍👧", "e\u0301", "👍🏽"
	unit := "日" + flag + family + accented + toned + "x"
	whole := map[string]bool{"日": true, flag: true, family: true, accented: true, toned: true, "x": true}
	s := strings.Repeat(unit, 60)
	for limit := range Size(s) + 2 {
		got, was := Cut(s, limit)
		must.LessEq(t, limit, Size(got))
		must.True(t, utf8.ValidString(got))
		must.Eq(t, limit < Size(s), was)
		if !was || limit < ShortestMarked {
			continue
		}
		head, tail, ok := strings.Cut(got, "\n… [")
		_, tail, ok2 := strings.Cut(tail, "left out] …\n")
		must.True(t, ok, must.Sprint(limit, got))
		must.True(t, ok2, must.Sprint(limit, got))
		for whole[lastCluster(head, whole)] {
			head = strings.TrimSuffix(head, lastCluster(head, whole))
		}
		for whole[firstCluster(tail, whole)] {
			tail = strings.TrimPrefix(tail, firstCluster(tail, whole))
		}
		must.Eq(t, "", head, must.Sprint(limit))
		must.Eq(t, "", tail, must.Sprint(limit))
	}
}

func lastCluster(s string, clusters map[string]bool) string {
	for c := range clusters {
		if strings.HasSuffix(s, c) {
			return c
		}
	}
	return ""
}

func firstCluster(s string, clusters map[string]bool) string {
	for c := range clusters {
		if strings.HasPrefix(s, c) {
			return c
		}
	}
	return ""
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"no escapes": "no escapes",
		"\x1b[0;31mZeroDivisionError\x1b[0m: x\x1b[1;32m\x1b[K": "ZeroDivisionError: x",
		"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end":            "link end",
		"\x1b[38;5;28;01mdef\x1b[39;00m":                        "def",
		"half \x1b[":                                            "half \x1b[",
	} {
		if got := Plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	if got := Lines("a\r\nb\rc\n\r\n"); got != "a\nb\nc\n\n" {
		t.Errorf("lines = %q", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := Thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

// A cut is at a line end if one is near, and never inside a number.
func TestCutAtLineEnds(t *testing.T) {
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "step %d loss %.6f\n", i, 1/float64(i+1))
	}
	numbers := strings.Repeat("0.123456789 ", 300)
	for limit := ShortestMarked; limit < 1000; limit++ {
		for name, shorten := range map[string]func(string, int) (string, bool){"whole": Cut, "tail": CutTail} {
			got, was := shorten(lines.String(), limit)
			must.True(t, was)
			must.LessEq(t, limit, Size(got))
			must.True(t, Marked(got))
			for line := range strings.Lines(cutMark.ReplaceAllString(got, "\n")) {
				if line != "\n" && limit > 160 && !strings.Contains(lines.String(), line) {
					t.Fatalf("%s, limit %d: %q is not a line", name, limit, line)
				}
			}
			must.StrHasSuffix(t, " 299 loss 0.003333\n", got)
			got, _ = shorten(numbers, limit)
			for word := range strings.FieldsSeq(cutMark.ReplaceAllString(got, " ")) {
				must.Eq(t, "0.123456789", word, must.Sprint(name, limit))
			}
		}
	}
	tail, _ := CutTail("a long text 12345", 7)
	test.Eq(t, "… 12345", tail)
	head, _ := Cut("12 34567 and so on", 7)
	test.Eq(t, "12 …", head)
}
