// Package lrucache makes caches that drop the least recently used entries.
//
// It imports nothing of this program. Start from [New].
package lrucache

import lru "github.com/hashicorp/golang-lru/v2"

// New makes a cache of at most size entries, a positive constant. It calls evicted, if not nil, with each entry that
// leaves the cache.
func New[K comparable, V any](size int, evicted func(K, V)) *lru.Cache[K, V] {
	c, err := lru.NewWithEvict(size, evicted)
	if err != nil {
		panic(err) // the size is not positive
	}
	return c
}
