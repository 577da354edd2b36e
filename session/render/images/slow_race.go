//go:build race

package images

// slowdown is how much longer drawing may take with the race detector in the program.
const slowdown = 10
