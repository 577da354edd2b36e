package figure

import (
	"crypto/sha256"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"
)

// A Name names a figure by its content.
type Name [sha256.Size]byte

// NameOf names a figure given as JSON.
func NameOf(figure []byte) Name { return sha256.Sum256(figure) }

// The bounds of the kept pictures, and of the reasons for missing ones.
const (
	drawingsKept     = 1000
	drawingBytesKept = 32 << 20
)

// Drawings keeps the pictures drawn by kernels, so that each figure is drawn once. It is safe for concurrent use.
type Drawings struct {
	mu   sync.Mutex               // guards held, and additions to by
	held int                      // bytes
	by   *lru.Cache[Name, string] // pictures in base64
	none *lru.Cache[refused, *NoPicture]
}

// refused is a figure that a kernel does not draw.
type refused struct {
	name   Name
	kernel string
}

// NewDrawings returns an empty Drawings.
func NewDrawings() *Drawings {
	d := &Drawings{none: lo.Must(lru.New[refused, *NoPicture](drawingsKept))}
	d.by = lo.Must(lru.NewWithEvict(drawingsKept, func(_ Name, png string) { d.held -= len(png) }))
	return d
}

// Get returns a figure's picture in base64, if it is kept.
func (d *Drawings) Get(name Name) (png string, ok bool) {
	return d.by.Get(name)
}

// Keep keeps a figure's picture, and drops the least recently used ones.
func (d *Drawings) Keep(name Name, png string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.by.Remove(name)
	d.by.Add(name, png)
	d.held += len(png)
	for d.held > drawingBytesKept && d.by.Len() > 1 {
		d.by.RemoveOldest()
	}
}

// Refused returns why a kernel does not draw a figure, nil if unknown.
func (d *Drawings) Refused(name Name, kernel string) *NoPicture {
	no, _ := d.none.Get(refused{name, kernel})
	return no
}

// Refuse remembers why a kernel does not draw a figure.
func (d *Drawings) Refuse(name Name, kernel string, no *NoPicture) {
	d.none.Add(refused{name, kernel}, no)
}
