package console

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// between is how long a console that is no terminal is left alone after a line of progress.
	between = 5 * time.Second
	// barWidth leaves half of a terminal that is as narrow as terminals usually are to the words.
	barWidth = 24
	// detailWidth is how many characters of a detail are shown.
	detailWidth = 24
)

// Bar is how far something is that takes a while. What is no terminal gets a line at the beginning and at the end, and one
// every few seconds between.
type Bar struct {
	c     *Console
	what  string
	total int
	began time.Time

	shown *progressbar.ProgressBar // on a terminal
	said  time.Time                // elsewhere: when the last line was written
}

// Bar begins something that has total steps. The bar has a name beside it.
func (c *Console) Bar(total int, what string) *Bar {
	b := &Bar{c: c, what: what, total: total, began: time.Now()}
	if !c.terminal {
		c.Line("%s ...", what)
		b.said = b.began
		return b
	}
	b.shown = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(c.w),
		progressbar.OptionSetTheme(theme(c.colours)),
		progressbar.OptionEnableColorCodes(c.colours),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetRenderBlankState(true),
	)
	return b
}

func theme(colours bool) progressbar.Theme {
	t := progressbar.Theme{Saucer: "━", SaucerPadding: "─"}
	if colours {
		t.Saucer, t.SaucerPadding = "[green]━[reset]", "[dark_gray]─[reset]"
	}
	return t
}

// Set says that n steps are done, and what is being done now.
func (b *Bar) Set(n int, detail string) {
	n = min(max(n, 0), b.total)
	if b.shown == nil {
		if time.Since(b.said) >= between {
			b.c.Line("%s: %d of %d", b.what, n, b.total)
			b.said = time.Now()
		}
		return
	}
	words := b.what
	if runes := []rune(detail); len(runes) > detailWidth {
		detail = string(runes[:detailWidth-1]) + "…"
	}
	if detail != "" {
		words += ": " + detail
	}
	b.shown.Describe(words)
	_ = b.shown.Set(n) // a terminal that cannot be written to shows nothing
}

// Done ends the bar, whether or not all steps are done. On a terminal nothing is left of it.
func (b *Bar) Done() {
	if b.shown == nil {
		b.c.Line("%s: %.0f s", b.what, time.Since(b.began).Seconds())
		return
	}
	_ = b.shown.Clear() // as for Set
}
