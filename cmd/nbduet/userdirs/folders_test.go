package userdirs_test

import (
	"errors"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/cmd/nbduet/userdirs"
)

func TestFolders(t *testing.T) {
	for _, c := range []struct {
		goos, home string
		env        map[string]string
		want       string
	}{
		{"linux", "/home/ada", nil, "/home/ada/.local/state/nbduet"},
		{"freebsd", "/home/ada", map[string]string{"XDG_STATE_HOME": "/s/"}, "/s/nbduet"},
		{"linux", "/home/ada", map[string]string{"XDG_STATE_HOME": "s", "LocalAppData": "/l"}, "/home/ada/.local/state/nbduet"},
		{"linux", "", nil, ""},
		{"linux", "home", nil, ""},
		{"darwin", "/Users/ada", nil, "/Users/ada/.local/state/nbduet"},
		{"windows", `C:\Users\ada`, map[string]string{"LocalAppData": `D:\Local\`}, `D:\Local\nbduet`},
		{"windows", `C:\Users\ada`, nil, `C:\Users\ada\AppData\Local\nbduet`},
		{"windows", "C:/Users/ada", map[string]string{"LocalAppData": "Local"}, `C:\Users\ada\AppData\Local\nbduet`},
		{"windows", `C:\Users\ada`, map[string]string{"XDG_STATE_HOME": "E:/s", "LocalAppData": `D:\Local`}, `E:\s\nbduet`},
		{"windows", `C:\Users\ada`, map[string]string{"LocalAppData": `\\server\home`}, `\\server\home\nbduet`},
		{"windows", "", map[string]string{"XDG_STATE_HOME": "/s"}, ""},
	} {
		home := func() (string, error) {
			if c.home == "" {
				return "", errors.New("no home")
			}
			return c.home, nil
		}
		got, err := userdirs.Machine{GOOS: c.goos, Env: func(name string) string { return c.env[name] }, Home: home}.State()
		test.Eq(t, c.want, got)
		test.Eq(t, c.want != "", err == nil)
	}
}

func TestData(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", nil, "/home/ada/.local/share/nbduet"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/d"}, "/d/nbduet"},
		{"windows", map[string]string{"LocalAppData": `D:\Local`}, `D:\Local\nbduet`},
	} {
		home := func() (string, error) { return "/home/ada", nil }
		got, err := userdirs.Machine{GOOS: c.goos, Env: func(name string) string { return c.env[name] }, Home: home}.Data()
		test.Eq(t, c.want, got)
		test.NoError(t, err)
	}
}
