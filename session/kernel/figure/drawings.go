package figure

import (
	"crypto/sha256"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Name names a figure by its content.
type Name [sha256.Size]byte

// NameOf names a figure that is given as JSON.
func NameOf(figure []byte) Name { return sha256.Sum256(figure) }

// The bounds of what is kept: of pictures, and of the reasons why there are none.
const (
	drawingsKept     = 1000
	drawingBytesKept = 32 << 20
)

// Drawings keeps what kernels have drawn, so that each figure is drawn once. The zero value is ready for use, and safe for
// concurrent use.
type Drawings struct {
	mu   sync.Mutex
	held int                    // bytes
	by   *lru.LRU[Name, string] // pictures in base64
	none *lru.LRU[refused, *NoPicture]
}

// refused is a figure that a kernel does not draw.
type refused struct {
	name   Name
	kernel string
}

// init makes what is kept. The caller holds the lock.
func (d *Drawings) init() {
	if d.by != nil {
		return
	}
	var err error
	if d.by, err = lru.NewLRU(drawingsKept, func(_ Name, png string) { d.held -= len(png) }); err == nil {
		d.none, err = lru.NewLRU[refused, *NoPicture](drawingsKept, nil)
	}
	if err != nil {
		panic(err) // the sizes are positive constants
	}
}

// Get returns a figure's picture in base64, if it is kept.
func (d *Drawings) Get(name Name) (png string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.init()
	return d.by.Get(name)
}

// Keep keeps a figure's picture, and drops the least recently used ones.
func (d *Drawings) Keep(name Name, png string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.init()
	d.by.Remove(name)
	d.by.Add(name, png)
	d.held += len(png)
	for d.held > drawingBytesKept && d.by.Len() > 1 {
		d.by.RemoveOldest()
	}
}

// Refused is why a kernel does not draw a figure, nil for nothing known.
func (d *Drawings) Refused(name Name, kernel string) *NoPicture {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.init()
	no, _ := d.none.Get(refused{name, kernel})
	return no
}

// Refuse remembers why a kernel does not draw a figure.
func (d *Drawings) Refuse(name Name, kernel string, no *NoPicture) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.init()
	d.none.Add(refused{name, kernel}, no)
}
