//go:build !race

package images

// slowdown is the factor by which drawing may take longer than usual.
const slowdown = 1
