package console

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// between is the interval of progress lines on a console that is not a terminal.
	between = 5 * time.Second
	// barWidth leaves half of a usual terminal to the text.
	barWidth = 24
	// detailWidth is the number of characters shown of a detail.
	detailWidth = 24
)

// Bar shows the progress of a long operation. A console that is not a terminal gets a line at the start and at the end, and
// one every few seconds.
type Bar struct {
	c     *Console
	what  string
	total int
	began time.Time

	shown *progressbar.ProgressBar // on a terminal
	said  time.Time                // elsewhere: the time of the last line
}

// Bar starts a bar with total steps and a label beside it.
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

// Set sets the number of steps done, and the current step.
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
	_ = b.shown.Set(n) // a terminal that cannot be written to shows no bar
}

// Done ends the bar, whether or not all steps are done, and removes it from a terminal.
func (b *Bar) Done() {
	if b.shown == nil {
		b.c.Line("%s: %.0f s", b.what, time.Since(b.began).Seconds())
		return
	}
	_ = b.shown.Clear() // as in Set
}
