package up

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nbduet/nbduet/cmd/nbduet/console"
)

// countAgain is the interval at which the installed packages are counted.
const countAgain = 200 * time.Millisecond

// progress shows an installer's progress from its output. pip prints each package that it fetches but none that it installs,
// and uv prints only large ones.
type progress struct {
	c     *console.Console
	dir   string // the environment
	total int

	bar   *console.Bar
	n     int
	end   chan struct{} // ends the count; nil before it starts
	ended chan struct{}
}

// newProgress starts with all packages of the lock. Some are not for this machine.
func newProgress(c *console.Console, dir string) *progress {
	return &progress{c: c, dir: dir, total: len(pinned.FindAllString(requirements, -1))}
}

var (
	settled = regexp.MustCompile(`^Resolved (\d+) package`)           // uv
	large   = regexp.MustCompile(`^Download(?:ing|ed) ([\w-]+)( |$)`) // uv
	fetches = regexp.MustCompile(`^Collecting ([^=\s]+)==`)           // pip
	pinned  = regexp.MustCompile(`(?m)^[^ #]+==`)                     // in the lock
	puts    = regexp.MustCompile(`^Installing collected packages:`)   // pip
)

// hear is called with each line of the installer.
func (p *progress) hear(line string) {
	if p.end != nil {
		return // all are fetched, and count sets the bar
	}
	if strings.HasPrefix(line, "Ignoring ") {
		p.total--
	} else if m := settled.FindStringSubmatch(line); m != nil {
		p.total, _ = strconv.Atoi(m[1])
		p.begin("Fetching")
	} else if m := fetches.FindStringSubmatch(line); m != nil {
		if p.bar == nil {
			p.begin("Fetching")
		}
		p.n++
		p.bar.Set(p.n, m[1])
	} else if m := large.FindStringSubmatch(line); m != nil && p.bar != nil {
		p.bar.Set(p.n, m[1])
	} else if puts.MatchString(line) {
		p.begin("Installing")
		p.end, p.ended = make(chan struct{}), make(chan struct{})
		go p.count()
	}
}

func (p *progress) begin(what string) {
	if p.bar != nil {
		p.bar.Done()
	}
	p.bar = p.c.Bar(p.total, what)
}

// count counts the packages in the environment until the end.
func (p *progress) count() {
	defer close(p.ended)
	again := time.NewTicker(countAgain)
	defer again.Stop()
	for {
		select {
		case <-p.end:
			return
		case <-again.C:
		}
		for _, packages := range []string{"lib/python*/site-packages", "Lib/site-packages"} {
			if all, err := filepath.Glob(filepath.Join(escaped(p.dir), packages, "*.dist-info", "RECORD")); err == nil && len(all) > 0 {
				p.bar.Set(len(all)-1, "") // less pip, which was installed before
				break
			}
		}
	}
}

// escaped quotes a folder for a glob pattern.
func escaped(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

func (p *progress) done() {
	if p.end != nil {
		close(p.end)
		<-p.ended
	}
	if p.bar != nil {
		p.bar.Done()
	}
}
