package images

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// FullSuffix ends the address of the original of an image that is too large for an answer.
const FullSuffix = "/full"

// maxKnown bounds how many images a store knows, with or without their bytes.
const maxKnown = 10_000

// DefaultCache is the default number of cached bytes.
const DefaultCache = 64 << 20

// An Origin is where an image comes from.
type Origin struct {
	// Session is the session that sees the image: the analysis session that owns the notebook, or the client session that
	// has opened it.
	Session string
	Path    jupyter.Path // of the notebook, the root for none
	FileID  string       // the server's id of the notebook's file
	CellID  string
	Count   *int   // the execution count of the cell, nil for none
	Line    string // the first line of its code
}

// An Entry describes a known image.
type Entry struct {
	Origin
	ID            string // names the image within its session
	Ext           string
	MIME          string
	Width, Height int // in pixels; 0 for unknown, as for an SVG
	Bytes         int
	seq           uint64
}

const uriHead = "jupyter://sessions/"

// URI returns the image's address.
func (e Entry) URI() string { return uri(e.Session, e.ID, e.Ext) }

func uri(session, id, ext string) string {
	return uriHead + url.PathEscape(session) + "/images/" + id + "." + ext
}

const (
	shortHead = "jupyter://images/"
	// shortID is how many characters of an id the short address has: among ten thousand images, two with the same prefix
	// are very unlikely.
	shortID = 10
)

// ShortURI returns the image's address without its session, for a client that has the session anyway.
func (e Entry) ShortURI() string { return shortHead + e.ID[:min(shortID, len(e.ID))] }

// ParseShortURI reports whether an address is a short one, and returns its prefix of the id.
func ParseShortURI(address string) (id string, ok bool) {
	id, ok = strings.CutPrefix(address, shortHead)
	return id, ok && len(id) >= shortID && !strings.ContainsAny(id, "/?#.")
}

// ParseURI splits an image's address.
func ParseURI(address string) (session, id string, err error) {
	rest, ok := strings.CutPrefix(address, uriHead)
	escaped, file, ok2 := strings.Cut(rest, "/images/")
	id, ext, ok3 := strings.Cut(file, ".")
	session, err = url.PathUnescape(escaped)
	if !ok || !ok2 || !ok3 || err != nil || id == "" || ext == "" || strings.ContainsAny(file, "/?#") {
		return "", "", fmt.Errorf("%q is not the address of an image: give one such as %s{session_id}/images/{image_id}.{ext}", address, uriHead)
	}
	return session, id, nil
}

// ID names an image by its cell and content, so that the same picture in the same cell has the same name. data is the text
// of the output in the notebook.
func ID(cell, mime, data string) string {
	h := sha256.New()
	for _, s := range []string{cell, mime} {
		// A hash does not fail.
		_, _ = io.WriteString(h, s+"\x00")
	}
	// The file may have line ends in the base64 that the kernel's message lacks.
	for part := range strings.FieldsSeq(data) {
		_, _ = io.WriteString(h, part)
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
}

// A Store finds images by their addresses, and caches the bytes of the last used ones, originals and pictures alike.
type Store struct {
	mu    sync.Mutex
	most  int
	held  int // bytes
	bytes *lru.Cache[blobKey, blob]
	known *lru.Cache[nameKey, Entry]
	seq   uint64
}

type nameKey struct{ session, id string }

// blobKey names bytes: the original's, or those of a picture of it within limits.
type blobKey struct {
	nameKey
	side, most int
}

type blob struct {
	picture Picture
	err     error // why the picture is missing
}

// blobBytes is about the memory of a blob apart from its data.
const blobBytes = 300

func (b blob) size() int { return len(b.picture.Data) + blobBytes }

// NewStore returns a store with a cache of that size in bytes; 0 means [DefaultCache].
func NewStore(bytes int) *Store {
	bytes = cmp.Or(max(bytes, 0), DefaultCache)
	s := &Store{most: bytes, known: lo.Must(lru.New[nameKey, Entry](maxKnown))}
	s.bytes = lo.Must(lru.NewWithEvict(math.MaxInt, func(_ blobKey, b blob) { s.held -= b.size() }))
	return s
}

// Add records an image of an output, and keeps its bytes for a while. The error says why the image is missing.
func (s *Store) Add(from Origin, mime, data string) (Entry, Image, error) {
	key := nameKey{from.Session, ID(from.CellID, mime, data)}
	if e, b, ok := s.look(key, from); ok {
		return e, b.picture.Image, b.err
	}
	img, err := Decode(mime, data)
	s.put(blobKey{nameKey: key}, blob{Picture{Image: img}, err})
	if err != nil {
		return Entry{}, Image{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	e := Entry{
		Origin: from, ID: key.id, Ext: img.Ext(), MIME: img.MIME, Width: img.Width, Height: img.Height,
		Bytes: len(img.Data), seq: s.seq,
	}
	if old, ok := s.known.Get(key); ok {
		e.seq = old.seq
		e.Line = cmp.Or(e.Line, old.Line)
	}
	s.known.Add(key, e)
	return e, img, nil
}

// look finds an image with cached bytes, and updates its origin.
func (s *Store) look(key nameKey, from Origin) (Entry, blob, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.bytes.Get(blobKey{nameKey: key})
	if !ok || b.err != nil {
		return Entry{}, b, ok
	}
	e, ok := s.known.Get(key)
	if !ok {
		return Entry{}, blob{}, false
	}
	from.Line = cmp.Or(from.Line, e.Line)
	e.Origin = from
	s.known.Add(key, e)
	return e, b, true
}

// Find returns an image, with its bytes if they are cached; else img.Data is nil.
func (s *Store) Find(session, id string) (e Entry, img Image, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := nameKey{session, id}
	if e, ok = s.known.Get(key); !ok {
		return Entry{}, Image{}, false
	}
	b, _ := s.bytes.Get(blobKey{nameKey: key})
	return e, b.picture.Image, true
}

// FindShort is [Store.Find] for a short address, among the images of some sessions. If two match, it finds none.
func (s *Store) FindShort(sessions []string, id string) (e Entry, img Image, ok bool) {
	s.mu.Lock()
	found := lo.Filter(s.known.Keys(), func(key nameKey, _ int) bool {
		return strings.HasPrefix(key.id, id) && slices.Contains(sessions, key.session)
	})
	s.mu.Unlock()
	if len(found) == 0 || slices.ContainsFunc(found, func(key nameKey) bool { return key.id != found[0].id }) {
		return Entry{}, Image{}, false
	}
	return s.Find(found[0].session, found[0].id)
}

// Forget forgets all images of some sessions.
func (s *Store) Forget(sessions ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.known.Keys() {
		if slices.Contains(sessions, key.session) {
			s.known.Remove(key)
		}
	}
	for _, key := range s.bytes.Keys() {
		if slices.Contains(sessions, key.session) {
			s.bytes.Remove(key)
		}
	}
}

// List lists the images of some sessions, the latest first, from the position after on; 0 is the beginning. next is the
// position for the next call, 0 at the end.
func (s *Store) List(sessions []string, after uint64, most int) (list []Entry, next uint64) {
	s.mu.Lock()
	for _, e := range s.known.Values() {
		if slices.Contains(sessions, e.Session) && (after == 0 || e.seq < after) {
			list = append(list, e)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(b.seq, a.seq) })
	if len(list) > most {
		list = list[:most]
		next = list[most-1].seq
	}
	return list, next
}

// put caches bytes and evicts the least recently used. It does not cache more than the whole cache's size.
func (s *Store) put(key blobKey, b blob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.size() > s.most {
		return
	}
	s.bytes.Remove(key)
	s.bytes.Add(key, b)
	s.held += b.size()
	for s.held > s.most {
		s.bytes.RemoveOldest()
	}
}

// Held returns how many bytes are cached now.
func (s *Store) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Show makes the picture of an image for a client, or returns the cached one. The error describes the image's fault, or is
// ctx's.
func (s *Store) Show(ctx context.Context, e Entry, img Image, lim Limits) (Picture, error) {
	key := blobKey{nameKey{e.Session, e.ID}, lim.side(), lim.Bytes}
	s.mu.Lock()
	b, ok := s.bytes.Get(key)
	s.mu.Unlock()
	if ok {
		return b.picture, b.err
	}
	p, err := Fit(ctx, img, lim)
	if ctx.Err() != nil {
		return Picture{}, ctx.Err() // not the image's fault
	}
	s.put(key, blob{p, err})
	return p, err
}
