package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/store/activity"
)

// A folder that cannot hold the records is an error at the start, not for the first user.
func TestRecords(t *testing.T) {
	home := t.TempDir()
	taken := filepath.Join(home, "file")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(variable, "")
	}
	for _, c := range []struct{ home, folder, want, says string }{
		{home, activity.Memory, activity.Memory, ""},
		{home, filepath.Join(home, "a", "b"), filepath.Join(home, "a", "b"), ""},
		{home, taken, "", "--state"},
		{"", "", "", "--state: give a folder"},
	} {
		t.Setenv("HOME", c.home)
		got, err := records(c.folder)
		test.Eq(t, c.want, got)
		test.Eq(t, c.says == "", err == nil)
		test.False(t, err != nil && !strings.Contains(err.Error(), c.says))
		if c.want != "" && c.want != activity.Memory {
			info, err := os.Stat(got)
			must.NoError(t, err, must.Sprint(got))
			test.True(t, info.IsDir(), test.Sprint(got))
		}
	}
}
