package main

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/shoenig/test"
)

const revision = "abcdef0123456789abcdef0123456789abcdef01"

// vcs returns the settings that Go writes into a program that it builds in a repository.
func vcs(modified string) []debug.BuildSetting {
	return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
}

func TestVersion(t *testing.T) {
	for name, c := range map[string]struct {
		version, commit string // set by the linker
		module          string
		settings        []debug.BuildSetting
		bare, text      string
	}{
		"a release":                    {version: "0.1.0", module: "v0.1.0", settings: vcs("false"), bare: "0.1.0", text: "0.1.0 (go1.26.8, commit abcdef012345)"},
		"a release without git":        {version: "0.1.0", module: devel, bare: "0.1.0", text: "0.1.0 (go1.26.8)"},
		"a release named as its tag":   {version: "v0.1.0", module: devel, bare: "0.1.0", text: "0.1.0 (go1.26.8)"},
		"a snapshot":                   {version: "0.0.1-dev.gabcdef0", module: devel, settings: vcs("true"), bare: "0.0.1-dev.gabcdef0", text: "0.0.1-dev.gabcdef0 (go1.26.8, commit abcdef012345 with changes)"},
		"go install of a tag":          {module: "v0.1.0", bare: "0.1.0", text: "0.1.0 (go1.26.8)"},
		"go install of a candidate":    {module: "v0.2.0-rc.1", bare: "0.2.0-rc.1", text: "0.2.0-rc.1 (go1.26.8)"},
		"go install of a commit":       {module: "v0.0.0-20261126065812-abcdef012345", bare: "(devel), commit abcdef012345", text: "(devel) (go1.26.8, commit abcdef012345)"},
		"a commit after a tag":         {module: "v0.1.1-0.20261126065812-abcdef012345", bare: "(devel), commit abcdef012345", text: "(devel) (go1.26.8, commit abcdef012345)"},
		"a commit after a candidate":   {module: "v0.2.0-rc.1.0.20261126065812-abcdef012345", bare: "(devel), commit abcdef012345", text: "(devel) (go1.26.8, commit abcdef012345)"},
		"go build of a tag":            {module: "v0.1.0", settings: vcs("false"), bare: "0.1.0", text: "0.1.0 (go1.26.8, commit abcdef012345)"},
		"go build of a changed tag":    {module: "v0.1.0+dirty", settings: vcs("true"), bare: "(devel), commit abcdef012345 with changes", text: "(devel) (go1.26.8, commit abcdef012345 with changes)"},
		"go build of a changed commit": {module: "v0.1.1-0.20261126065812-abcdef012345+dirty", settings: vcs("true"), bare: "(devel), commit abcdef012345 with changes", text: "(devel) (go1.26.8, commit abcdef012345 with changes)"},
		"make build":                   {commit: revision, module: devel, bare: "(devel), commit abcdef012345", text: "(devel) (go1.26.8, commit abcdef012345)"},
		"make build with changes":      {commit: "abcdef012345-dirty", module: devel, bare: "(devel), commit abcdef012345 with changes", text: "(devel) (go1.26.8, commit abcdef012345 with changes)"},
		"nothing is known":             {module: devel, bare: "(devel)", text: "(devel) (go1.26.8)"},
		"a test's program":             {bare: "(devel)", text: "(devel) (go1.26.8)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := buildOf(c.version, c.commit, &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: c.module}, Settings: c.settings})
			test.Eq(t, c.bare, b.bare())
			test.Eq(t, c.text, b.String())
		})
	}
	if b := buildOf("", "", nil); b.String() != "(devel) ("+runtime.Version()+")" {
		t.Errorf("without build info the version is %q", b)
	}
}
