package jupyter

import "testing"

func TestSameServer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://localhost:8888/", "http://127.0.0.1:8888", true},
		{"http://localhost:8888", "http://localhost:8889", false},
		{"http://h/a", "http://h/b", false},
		{"https://h", "https://h:443/", true},
		{"http://h", "https://h", false},
	} {
		if got := SameServer(c.a, c.b); got != c.want {
			t.Errorf("SameServer(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
