package kernels

import (
	"maps"
	"slices"
	"time"
)

// cullInterval is how often the server looks for kernels that have been idle for too long.
const cullInterval = time.Second

// cull shuts down kernels that have been idle for too long, with or without clients.
func (t *Table) cull() {
	tick := time.NewTicker(cullInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.ctx.Done():
			return
		}
		t.mu.Lock()
		list := slices.Collect(maps.Values(t.kernels))
		t.mu.Unlock()
		for _, k := range list {
			if k.idleFor(t.config.CullAfter) {
				_ = t.Shutdown(t.ctx, k.id) // it may have been shut down already
			}
		}
	}
}

// idleFor reports whether nothing has been run for longer than d.
func (k *kernel) idleFor(d time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state != "busy" && k.state != "starting" && time.Since(k.activity) > d
}
