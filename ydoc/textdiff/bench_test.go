package textdiff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// hard returns pairs of texts that are long or share little; each must be compared in bounded time.
func hard(size int) map[string][2]string {
	r := rand.New(rand.NewPCG(13, 14))
	lines := func(seed uint64, width int) string {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for b.Len() < size {
			for range width / 8 {
				fmt.Fprintf(&b, "%07x ", r.Uint32()&0xfffffff)
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	letters := func(alphabet string) string {
		var b strings.Builder
		for b.Len() < size {
			b.WriteByte(alphabet[r.IntN(len(alphabet))])
		}
		return b.String()
	}
	many := strings.Repeat("\n", size)
	base := lines(1, 80)
	words := strings.SplitAfter(base, " ")
	for i := 0; i < len(words); i += 40 {
		words[i] = "changed "
	}
	return map[string][2]string{
		"different lines":     {base, lines(2, 80)},
		"different short":     {lines(3, 8), lines(4, 8)},
		"different line":      {strings.ReplaceAll(base, "\n", " "), strings.ReplaceAll(lines(2, 80), "\n", " ")},
		"two letters":         {letters("ab"), letters("ab")},
		"two letters a line":  {letters("a\n"), letters("a\n")},
		"empty lines":         {many + "x", "y" + many[:size/2]},
		"one word in 40":      {base, strings.Join(words, "")},
		"marks":               {strings.Repeat("\u0301", size/2), strings.Repeat("\u0302", size/2)},
		"one added in middle": {base, base[:size/2] + "x" + base[size/2:]},
		"astral":              {strings.Repeat("😀", size/4), strings.Repeat("😁", size/4)},
		"flags":               {strings.Repeat("🇩🇪", size/8), "x" + strings.Repeat("🇩🇪", size/8)},
	}
}

func TestLongTextsAreDone(t *testing.T) {
	for name, c := range hard(300_000) {
		checkEdits(t, c[0], c[1], textdiff.Diff(c[0], c[1]))
		if d := textdiff.Unified(name, c[0], c[1], 3); d == "" {
			t.Errorf("%s: no unified diff", name)
		}
	}
}

func BenchmarkDiff10MB(b *testing.B) {
	for name, c := range hard(10 << 20) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(c[0]) + len(c[1])))
			for b.Loop() {
				textdiff.Diff(c[0], c[1])
			}
		})
	}
}

const cell = `import numpy as np
import pandas as pd

def load(path, sep=","):
    """Read the table at path."""
    df = pd.read_csv(path, sep=sep)
    df["ratio"] = df["a"] / df["b"]
    return df.dropna()

df = load("data.csv")
df.groupby("kind").mean()
`

func BenchmarkDiffCell(b *testing.B) {
	changed := strings.Replace(strings.Replace(cell, "dropna()", "fillna(0)", 1), "mean()", "median()", 1)
	b.ReportAllocs()
	for b.Loop() {
		textdiff.Diff(cell, changed)
	}
}

func BenchmarkMergeCell(b *testing.B) {
	mine := strings.Replace(cell, "dropna()", "fillna(0)", 1)
	theirs := strings.Replace(cell, "mean()", "median()  # note", 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := textdiff.Merge(cell, theirs, mine); err != nil {
			b.Fatal(err)
		}
	}
}
