package packages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nbduet/nbduet/e2e/kit"
)

// registryModule is the MCP registry's own program, which has the schema of its entries. Its hash is the one that go.sum
// would have if the module were imported; it is only read.
const (
	registryModule = "github.com/modelcontextprotocol/registry@v1.8.9"
	registrySum    = "h1:2pYB31q/uSezVbXu+D+Hr3HMimGFspgS1RTMljm1bVI="
)

// registrySchema compiles the schema that an entry names.
func registrySchema(t *testing.T, address string) *jsonschema.Schema {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", registryModule)
	cmd.Dir = t.TempDir() // outside of any module
	out, err := cmd.Output()
	must.NoError(t, err)
	var module struct{ Dir, Sum string }
	must.NoError(t, json.Unmarshal(out, &module))
	if module.Sum != registrySum {
		t.Fatalf("the module has the hash %s", module.Sum)
	}
	date := strings.TrimSuffix(strings.TrimPrefix(address, "https://static.modelcontextprotocol.io/schemas/"), "/server.schema.json")
	f, err := os.Open(filepath.Join(module.Dir, "internal", "validators", "schemas", date+".json"))
	must.NoError(t, err)
	defer f.Close()
	text, err := jsonschema.UnmarshalJSON(f)
	must.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	must.NoError(t, compiler.AddResource(address, text))
	schema, err := compiler.Compile(address)
	must.NoError(t, err)
	return schema
}

// registryEntry has the fields of a server.json that the tests read.
type registryEntry struct {
	Schema   string `json:"$schema"`
	Name     string
	Version  string
	Packages []struct {
		RegistryType, Identifier, Version, FileSha256 string
		EnvironmentVariables                          []struct {
			Name     string
			IsSecret bool
		}
	}
}

// readEntry reads an entry and validates it.
func readEntry(t *testing.T, file string) registryEntry {
	t.Helper()
	text, err := os.ReadFile(file)
	must.NoError(t, err)
	var e registryEntry
	must.NoError(t, json.Unmarshal(text, &e))
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must.NoError(t, err)
	if err := registrySchema(t, e.Schema).Validate(value); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	return e
}

// The entry is valid, has the last release's version, and names settings that the program has.
func TestRegistryEntry(t *testing.T) {
	version, err := newest()
	must.NoError(t, err)
	e := readEntry(t, filepath.Join(kit.Root, "server.json"))
	test.Eq(t, version, e.Version)
	test.Eq(t, "io.github.nbduet/nbduet", e.Name)
	flags, err := os.ReadFile(filepath.Join(kit.Root, "cmd", "nbduet", "README.md"))
	must.NoError(t, err)
	kinds := make(map[string]int)
	for _, p := range e.Packages {
		kinds[p.RegistryType]++
		switch p.RegistryType {
		case "oci": // the version is only a part of the name
			test.Eq(t, "", p.Version)
			test.Eq(t, "ghcr.io/nbduet/nbduet:"+version, p.Identifier)
		case "mcpb":
			test.Eq(t, version, p.Version)
			test.StrHasPrefix(t, "https://github.com/nbduet/nbduet/releases/download/v"+version+"/nbduet-"+version+"-", p.Identifier)
		default:
			test.Eq(t, version, p.Version)
			test.Eq(t, "nbduet", p.Identifier)
		}
		for _, v := range p.EnvironmentVariables {
			if !strings.Contains(string(flags), "` | `"+v.Name+"` | ") {
				t.Errorf("there is no setting %s", v.Name)
			}
			if v.IsSecret != (v.Name == "JUPYTER_TOKEN") {
				t.Errorf("whether %s is a secret: %t", v.Name, v.IsSecret)
			}
		}
	}
	if want := map[string]int{"pypi": 1, "npm": 1, "oci": 1, "mcpb": 3}; !maps.Equal(kinds, want) {
		t.Errorf("the packages are %v, not %v", kinds, want)
	}
}

// In a release, the entry has its version everywhere, and the hashes of its bundles.
func TestRegistryRelease(t *testing.T) {
	for version, python := range map[string]string{"1.2.3": "1.2.3", "0.2.0-rc.1": "0.2.0rc1", "0.0.1-dev.gabcdef0": "0.0.1.dev0+gabcdef0"} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			script := exec.CommandContext(t.Context(), filepath.Join(kit.Root, "packaging", "registry.sh"), version, dir)
			out, err := script.CombinedOutput()
			must.Error(t, err, must.Sprint("without bundles"))
			test.StrContains(t, string(out), "pack the MCP bundles first", test.Sprint("without bundles"))
			test.Eq(t, 1, strings.Count(string(out), "\n"), test.Sprint("without bundles"))
			sums := make(map[string]bool)
			for _, system := range []string{"darwin", "linux", "windows"} {
				must.NoError(t, os.WriteFile(filepath.Join(dir, "nbduet-"+version+"-"+system+".mcpb"), []byte(system), 0o600))
				sum := sha256.Sum256([]byte(system))
				sums[hex.EncodeToString(sum[:])] = true
			}
			script = exec.CommandContext(t.Context(), filepath.Join(kit.Root, "packaging", "registry.sh"), version, dir)
			if out, err := script.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			e := readEntry(t, filepath.Join(dir, "server.json"))
			for _, p := range e.Packages {
				want := version
				switch p.RegistryType {
				case "pypi":
					want = python
				case "oci":
					want = ""
				case "mcpb":
					if !sums[p.FileSha256] {
						t.Errorf("the hash of %s is %s", p.Identifier, p.FileSha256)
					}
					delete(sums, p.FileSha256)
				}
				test.Eq(t, want, p.Version)
				test.False(t, p.RegistryType == "oci" && !strings.HasSuffix(p.Identifier, ":"+version))
			}
			test.Eq(t, version, e.Version)
			test.LessEq(t, 0, len(sums))
		})
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(kit.Root, "packaging", "registry.sh"), "v1", t.TempDir()).CombinedOutput()
	must.Error(t, err, must.Sprint("version v1"))
	test.StrContains(t, string(out), `"v1" is no version`, test.Sprint("version v1"))
}
