package datalayer

import "testing"

func TestFileSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.0KB", 1536: "1.5KB", 3 << 20: "3.0MB"} {
		if got := fileSize(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
