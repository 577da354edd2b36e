//go:build race

package images

// slowdown is the factor by which drawing may take longer with the race detector.
const slowdown = 10
