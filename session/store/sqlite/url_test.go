package sqlite

import "testing"

func TestFileURL(t *testing.T) {
	for _, c := range []struct{ goos, path, want string }{
		{"linux", "/home/ada/a b?c#d.db", "file:///home/ada/a%20b%3Fc%23d.db"},
		{"linux", `/home/a\b.db`, "file:///home/a%5Cb.db"},
		{"darwin", "/Users/ada/x.db", "file:///Users/ada/x.db"},
		{"windows", `C:\Users\Ada Love\x.db`, "file:///C:/Users/Ada%20Love/x.db"},
		{"windows", `\\server\share\x.db`, "file:////server/share/x.db"},
	} {
		if got := fileURL(c.goos, c.path); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.goos, c.path, got, c.want)
		}
	}
}
