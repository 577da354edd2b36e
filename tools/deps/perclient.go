package deps

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/render"
)

// ClientsKept is the maximum number of clients with state; the least recently active ones are dropped first.
const ClientsKept = 1000

// PerClient keeps one value for each client. The zero value is ready for use and safe for concurrent use: it calls one
// function at a time.
type PerClient[V any] struct {
	mu  sync.Mutex
	all *lru.Cache[string, V] // nil until the first value
}

// With calls do with a client's value; first makes the value if it is missing.
func (p *PerClient[V]) With(client string, first func() V, do func(V)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = lo.Must(lru.New[string, V](ClientsKept))
	}
	v, ok := p.all.Get(client)
	if !ok {
		v = first()
		p.all.Add(client, v)
	}
	do(v)
}

// Each calls do with every client's value.
func (p *PerClient[V]) Each(do func(V)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		return
	}
	for _, v := range p.all.Values() {
		do(v)
	}
}

// Forget forgets a client that has left.
func (p *PerClient[V]) Forget(client string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all != nil {
		p.all.Remove(client)
	}
}

// Looks keeps how much of a run's outputs its client has seen. The zero value is ready for use.
type Looks struct{ runs PerClient[*render.Seen] } // by the run's id

// With calls do with how much was seen of a run.
func (l *Looks) With(run string, do func(*render.Seen)) {
	l.runs.With(run, func() *render.Seen { return &render.Seen{} }, do)
}
