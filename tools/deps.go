package tools

import (
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/images"
)

// deps are what all tools work with.
type deps struct {
	manager *session.Manager
	seen    *seen
	gallery *gallery
	visits  visits
}

// newDeps makes them over a manager, for answers that show images of store, see [newGallery].
func newDeps(manager *session.Manager, store *images.Store, maxImages, maxImageBytes int) (*deps, error) {
	memory, err := newSeen()
	if err != nil {
		return nil, err
	}
	pictures, err := newGallery(store, maxImages, maxImageBytes)
	if err != nil {
		return nil, err
	}
	return &deps{manager: manager, seen: memory, gallery: pictures}, nil
}

// forget ends what is kept for a client: what it was shown, its visits, and the images of its sessions.
func (d *deps) forget(client string, sessions []string) {
	d.seen.forget(client)
	d.gallery.store.Forget(sessions...)
	d.visits.forget(client)
}
