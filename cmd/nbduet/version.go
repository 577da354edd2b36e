package main

import (
	"runtime"
	"runtime/debug"
)

// version is set by the linker (-ldflags "-X main.version=…") in releases.
var version string

// versionText is the version in one line: the linker's, else the module's, with the commit if the build knows it.
func versionText() string {
	v, commit := version, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = ", commit " + s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				commit += " with changes"
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v + " (" + runtime.Version() + commit + ")"
}
