package main

import (
	"cmp"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these (-ldflags "-X main.version=…"): version in releases, commit where Go does not record it, in a
// worktree and with -buildvcs=false.
var version, commit string

// published is the latest version with a date in CHANGELOG.md, or "": go test ./cmd/nbduet -run Release -update writes it.
const published = ""

// releaseNote names the published release if this is a build from source; it returns "" for a release.
func (b build) releaseNote() string {
	switch {
	case b.version != devel && !strings.Contains(b.version, "-dev."):
		return ""
	case published == "":
		return "This nbduet is built from source. No release is published yet: uvx, pip and npx do not find nbduet."
	}
	return "This nbduet is built from source. The latest release is " + published + "."
}

// devel is the version of a build without a version.
const devel = "(devel)"

// commitDigits is the number of digits shown of a commit hash.
const commitDigits = 12

// pseudo matches the end of a pseudo-version, which Go makes for an untagged commit. It captures the commit hash.
var pseudo = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})(\+.*)?$`)

// A build identifies this program.
type build struct {
	version string // without v; devel if this is not a release
	commit  string // the start of its hash; "" if unknown
	changed bool   // modified since the commit
	goes    string // Go's version
}

// thisBuild returns the build of the running program.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo() // nil if absent
	return buildOf(version, commit, info)
}

// buildOf returns the build that was linked with these values. A release's version comes from the linker, or else from the
// module's tag. A version that Go generated for a commit, or for a modified tag, is not a release's.
func buildOf(version, commit string, info *debug.BuildInfo) build {
	b := build{version: strings.TrimPrefix(version, "v"), goes: runtime.Version()}
	commit, b.changed = strings.CutSuffix(commit, "-dirty")
	if info != nil {
		b.goes = info.GoVersion
		module := info.Main.Version
		made := pseudo.FindStringSubmatch(module)
		if b.version == "" && made == nil && strings.HasPrefix(module, "v") && !strings.Contains(module, "+") {
			b.version = module[1:]
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && s.Value != "":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				b.changed = true
			}
		}
		if commit == "" && made != nil {
			commit = made[1]
		}
	}
	b.version = cmp.Or(b.version, devel)
	b.commit = commit[:min(len(commit), commitDigits)]
	return b
}

// bare returns the version for programs; the commit is added if this is not a release.
func (b build) bare() string {
	if b.version != devel || b.commit == "" {
		return b.version
	}
	return b.version + ", " + b.at()
}

// String returns the version for people: 0.1.0 (go1.26.8, commit abcdef012345).
func (b build) String() string {
	in := b.goes
	if b.commit != "" {
		in += ", " + b.at()
	}
	return b.version + " (" + in + ")"
}

func (b build) at() string {
	s := "commit " + b.commit
	if b.changed {
		s += " with changes"
	}
	return s
}
