package up

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// hasDisplay reports whether a browser can open a window. Without a display, only browsers for terminals exist, and one
// would take over this terminal.
func hasDisplay(goos string, env func(string) string) bool {
	if goos == "windows" || goos == "darwin" {
		return true
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "" || env("WSL_DISTRO_NAME") != ""
}

// openBrowser opens the page of a server that is already running, through a file that redirects to it: other users could
// read the token in the browser's arguments.
func (j job) openBrowser(file string, r jupyter.Running) error {
	to := html.EscapeString(withToken(j.page(r), r.Token))
	if err := os.WriteFile(file, []byte(`<!DOCTYPE html><meta http-equiv="refresh" content="0;url=`+to+`">`), 0o600); err != nil {
		return fmt.Errorf("open the browser: %w", err)
	}
	name, args := opener(runtime.GOOS)
	if cmd := exec.Command(name, append(args, file)...); cmd.Start() == nil { // a person can open the address by hand
		_ = cmd.Process.Release() // the process may be the browser itself
	}
	return nil
}

// fileOf returns the file that a server keeps while it runs, with its token, or "" if it does not exist.
func fileOf(r jupyter.Running) string {
	for _, dir := range jupyter.DefaultRuntimeDirs() {
		file := filepath.Join(dir, fmt.Sprintf("jpserver-%d.json", r.PID))
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// opener returns the program that opens a file with its default program.
func opener(goos string) (name string, args []string) {
	switch goos {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}

// withToken returns an address that contains the token.
func withToken(address, token string) string {
	return address + "?" + url.Values{"token": {token}}.Encode()
}
