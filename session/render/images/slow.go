//go:build !race

package images

// slowdown is how much longer than usual drawing may take.
const slowdown = 1
