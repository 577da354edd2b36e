package images

import "context"

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
