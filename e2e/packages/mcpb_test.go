package packages

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// bundlePacker installs the packer of bundles into the repository, once, and returns its folder.
func bundlePacker(t *testing.T, folder string) string {
	t.Helper()
	scripts := filepath.Join(kit.Root, "packaging", "mcpb")
	cmd := exec.CommandContext(t.Context(), filepath.Join(kit.Root, "e2e", "scripts", "alone.sh"), "mcpb", filepath.Join(scripts, "install.sh"), folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(scripts, folder)
}

// bundle packs a bundle with this machine's program for any system and returns its file.
func bundle(t *testing.T, system, machine string) string {
	t.Helper()
	r, dir := built(t), t.TempDir()
	program := one(t, r.Dist, fmt.Sprintf("nbduet_%s_%s*/nbduet", runtime.GOOS, runtime.GOARCH))
	out, err := exec.CommandContext(t.Context(), filepath.Join(kit.Root, "packaging", "mcpb", "bundle.sh"), system, machine, program, r.Version, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return one(t, dir, "nbduet-"+r.Version+"-"+system+".mcpb")
}

// bundleMachine is the machine of each system's bundle.
var bundleMachine = map[string]string{"linux": "amd64", "darwin": "all", "windows": "amd64"}

// mcpb runs the packer's command.
func mcpb(t *testing.T, args ...string) {
	t.Helper()
	cli := filepath.Join(bundlePacker(t, "node"), "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	if out, err := exec.CommandContext(t.Context(), "node", append([]string{cli}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("mcpb %q: %v\n%s", args, err, out)
	}
}

// A host unpacks the bundle and starts the program, with the form's default values and with others.
func TestBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mcpb(t, "unpack", bundle(t, runtime.GOOS, bundleMachine[runtime.GOOS]), dir)
	mcpb(t, "validate", filepath.Join(dir, "manifest.json"))
	t.Run("empty form", func(t *testing.T) {
		command, env := hosted(t, dir, `{}`)
		test.Eq(t, "", env["JUPYTER_SERVER_URL"])
		test.Eq(t, "", env["JUPYTER_TOKEN"])
		works(t, command, pairs(env)...) // it finds the server by itself
	})
	t.Run("filled in", func(t *testing.T) {
		server := kit.Jupyter(t)
		form, err := json.Marshal(map[string]any{"server": server.URL, "token": server.Token, "agent_name": "Ann's agent", "toolsets": "core,notebook", "read_only": false})
		must.NoError(t, err)
		command, env := hosted(t, dir, string(form))
		works(t, command, pairs(env)...)
		if env["NBDUET_AGENT_NAME"] != "Ann's agent" {
			t.Errorf("the environment is %q", env)
		}
	})
	t.Run("only read", func(t *testing.T) {
		command, env := hosted(t, dir, `{"read_only": true}`)
		tools := listed(t, command, pairs(env))
		test.False(t, slices.Contains(tools, "edit_text"))
		test.SliceContainsOp(t, tools, "read_nb_cells")
	})
	t.Run("no server", func(t *testing.T) {
		command, env := hosted(t, dir, `{}`)
		if tools := listed(t, command, pairs(env)); !slices.Contains(tools, "edit_text") {
			t.Errorf("the tools are %q", tools)
		}
	})
}

// listed returns the tools of a command that is started without a Jupyter server.
func listed(t *testing.T, command, env []string) []string {
	t.Helper()
	env = slices.Concat(lab.CleanEnv(), []string{"HOME=" + t.TempDir()}, env)
	a, err := agent.Start(t.Context(), agent.Options{Binary: command[0], Args: command[1:], Env: env})
	must.NoError(t, err)
	defer func() { must.NoError(t, a.Close()) }()
	tools, err := a.Tools(t.Context())
	must.NoError(t, err)
	return tools
}

// hosted returns the command and environment with which a host starts an unpacked bundle, by the hosts' own function.
func hosted(t *testing.T, dir, form string) (command []string, env map[string]string) {
	t.Helper()
	const script = `
import { readFileSync } from "node:fs";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb/node";
const [dir, form] = process.argv.slice(1);
const manifest = JSON.parse(readFileSync(dir + "/manifest.json", "utf8"));
console.log(JSON.stringify(await getMcpConfigForManifest({ manifest, extensionPath: dir, systemDirs: {}, userConfig: JSON.parse(form), pathSeparator: "/" })));
`
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", script, dir, form)
	cmd.Dir = bundlePacker(t, "node")
	out, err := cmd.Output()
	must.NoError(t, err)
	var config struct {
		Command string
		Args    []string
		Env     map[string]string
	}
	must.NoError(t, json.Unmarshal(out, &config))
	must.NotEq(t, "", config.Command)
	must.StrNotContains(t, string(out), "${")
	return append([]string{config.Command}, config.Args...), config.Env
}

// pairs returns an environment in the form of a process's environment.
func pairs(env map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// bundleManifest has the fields of a manifest that the tests read.
type bundleManifest struct {
	Version       string
	Compatibility struct{ Platforms []string }
	Server        struct {
		EntryPoint string `json:"entry_point"`
	}
	Tools []struct{ Name, Description string }
}

// Each system has its bundle, with its program's name and reproducible bytes.
func TestBundles(t *testing.T) {
	t.Parallel()
	for system, want := range map[string][2]string{"linux": {"linux", "server/nbduet"}, "darwin": {"darwin", "server/nbduet"}, "windows": {"win32", "server/nbduet.exe"}} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			file := bundle(t, system, bundleMachine[system])
			archive, err := zip.OpenReader(file)
			must.NoError(t, err)
			defer archive.Close()
			modes := make(map[string]os.FileMode)
			for _, f := range archive.File {
				modes[f.Name] = f.Mode()
			}
			if wanted := map[string]os.FileMode{"LICENSE": 0o644, "icon.png": 0o644, "manifest.json": 0o644, want[1]: 0o755}; !maps.Equal(modes, wanted) {
				t.Errorf("the bundle has %v, not %v", modes, wanted)
			}
			f, err := archive.Open("manifest.json")
			must.NoError(t, err)
			defer f.Close()
			var m bundleManifest
			must.NoError(t, json.NewDecoder(f).Decode(&m))
			test.Eq(t, built(t).Version, m.Version)
			test.SliceEqOp(t, []string{want[0]}, m.Compatibility.Platforms)
			test.Eq(t, want[1], m.Server.EntryPoint)
			if system != runtime.GOOS || bundleMachine[system] != runtime.GOARCH {
				return
			}
			again, err := os.ReadFile(file)
			must.NoError(t, err)
			first, err := os.ReadFile(one(t, built(t).Packages, filepath.Base(file)))
			must.NoError(t, err)
			if !bytes.Equal(first, again) {
				t.Error("the bundle is another, packed again")
			}
		})
	}
}

// The manifest lists the program's tools.
func TestBundleTools(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(kit.Root, "packaging", "mcpb", "manifest.json"))
	must.NoError(t, err)
	var m bundleManifest
	must.NoError(t, json.Unmarshal(text, &m))
	var got []string
	for _, tool := range m.Tools {
		if got = append(got, tool.Name); tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
	}
	program := one(t, built(t).Dist, fmt.Sprintf("nbduet_%s_%s*/nbduet", runtime.GOOS, runtime.GOARCH))
	if want := listed(t, []string{program}, nil); !slices.Equal(got, want) {
		t.Errorf("packaging/mcpb/manifest.json lists %q, the program %q: packaging/mcpb/tools.sh PROGRAM writes them", got, want)
	}
}

// A system without a bundle is skipped, or refused in one line.
func TestBundleOthers(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(kit.Root, "packaging", "mcpb", "bundle.sh")
	for _, machine := range [][2]string{{"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "arm64"}} {
		out, err := exec.CommandContext(t.Context(), script, machine[0], machine[1], "none", "0.1.0", dir).CombinedOutput()
		must.NoError(t, err, must.Sprint(machine))
		test.LessEq(t, 0, len(out), test.Sprint(machine))
	}
	for want, args := range map[string][]string{"plan9/amd64": {"plan9", "amd64", "none", "0.1.0", dir}, `"v0.1.0"`: {"linux", "amd64", "none", "v0.1.0", dir}} {
		out, err := exec.CommandContext(t.Context(), script, args...).CombinedOutput()
		must.Error(t, err, must.Sprint(args))
		test.StrContains(t, string(out), want, test.Sprint(args))
		test.Eq(t, 1, bytes.Count(out, []byte("\n")), test.Sprint(args))
	}
	made, err := os.ReadDir(dir)
	must.NoError(t, err)
	test.LessEq(t, 0, len(made))
}
