package main

import (
	"cmp"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these (-ldflags "-X main.version=…"): version in releases, commit where Go itself does not see it, which
// is so in a worktree and with -buildvcs=false.
var version, commit string

// published is the latest version in CHANGELOG.md that has a date, "" for none:
// go test ./cmd/nbduet -run Release -update writes it.
const published = ""

// releaseNote says for a build from source which release is published, and is "" for a release.
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

// commitDigits is how much of a commit's name is shown.
const commitDigits = 12

// pseudo is the end of a version that Go makes for a commit without a tag, with the commit's name.
var pseudo = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})(\+.*)?$`)

// A build says which program this is.
type build struct {
	version string // without v, devel if this is no release
	commit  string // the start of its name, "" if it is not known
	changed bool   // since the commit
	goes    string // Go's version
}

// thisBuild is the running program.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo() // nil if absent
	return buildOf(version, commit, info)
}

// buildOf tells which program was linked with these values: a release's version is the linker's, else the tag in the
// module's. A version that Go made up for a commit, or for a tag with changes, is no release's.
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

// bare is the version for programs: a release's alone, else with the commit.
func (b build) bare() string {
	if b.version != devel || b.commit == "" {
		return b.version
	}
	return b.version + ", " + b.at()
}

// String is the version for people: 0.1.0 (go1.26.8, commit abcdef012345).
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
