package fuzzkit

import (
	"encoding/base64"
	"flag"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"
)

const (
	// MaxTime is how long one input may take in fuzzing. Ordinary tests run on busy machines: there only [Hang]
	// counts.
	MaxTime = time.Second
	// Hang is how long an input may take before it counts as endless: far more than a loaded machine needs.
	Hang = 20 * time.Second
	// MaxAllocated is how many bytes may be allocated on the heap for one input, including freed ones.
	MaxAllocated = 64 << 20
)

// Watch runs f on an input and fails the test if f allocates more than [MaxAllocated] or, in fuzzing, twice takes
// more than [MaxTime]: a single slow run is attributed to the machine. A hang ends the process with the input in the
// message. f must be repeatable.
func Watch(tb testing.TB, input []byte, f func(tb testing.TB)) {
	tb.Helper()
	timer := time.AfterFunc(Hang, func() {
		panic(fmt.Sprintf("%s: hangs with %s", tb.Name(), base64.StdEncoding.EncodeToString(input)))
	})
	defer timer.Stop()
	before, start := allocated(), time.Now()
	f(tb)
	took, size := time.Since(start), allocated()-before
	if size > MaxAllocated {
		tb.Errorf("allocated %d MB for %d bytes: %s", size>>20, len(input), base64.StdEncoding.EncodeToString(input))
	}
	if took <= MaxTime || !Fuzzing() {
		return
	}
	start = time.Now()
	f(tb)
	if again := time.Since(start); again > MaxTime {
		tb.Errorf("took %v and %v for %d bytes: %s", took, again, len(input), base64.StdEncoding.EncodeToString(input))
	}
}

// Fuzzing reports whether go test runs with -fuzz.
func Fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// allocated returns how many bytes this process has ever allocated on the heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
