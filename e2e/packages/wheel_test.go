package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/labextension"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
)

// wheelScript runs a script of packaging/python. If it fails, said is its standard error.
func wheelScript(t *testing.T, env []string, name string, args ...string) (out, said string, err error) {
	t.Helper()
	top, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(top, "packaging", "python", name), args...)
	cmd.Env = append(os.Environ(), env...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return strings.TrimSpace(o.String()), e.String(), err
}

// wheelMade returns the wheel that a script makes.
func wheelMade(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	out, said, err := wheelScript(t, env, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, said)
	}
	return out
}

// wheelProgram writes a file to pack in place of a program: a wheel does not depend on its contents, or on its mode,
// which a build may have lost.
func wheelProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("\x7fELF, or so\n\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wheelPlatforms are the platforms with wheels, and the tags in the wheels' names.
var wheelPlatforms = []struct{ system, machine, tags, script string }{
	{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "nbduet"},
	{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "nbduet"},
	{"darwin", "amd64", "macosx_12_0_x86_64", "nbduet"},
	{"darwin", "arm64", "macosx_12_0_arm64", "nbduet"},
	{"windows", "amd64", "win_amd64", "nbduet.exe"},
	{"windows", "arm64", "win_arm64", "nbduet.exe"},
}

// wheelSkill is the skill, at the path where agents look for the skills of installed packages.
const wheelSkill = "nbduet/.agents/skills/nbduet/SKILL.md"

// wheelModule are the files in the wheel beside the program and the metadata.
var wheelModule = []string{wheelSkill, "nbduet/__init__.py", "nbduet/__main__.py", "nbduet/_find.py"}

// The wheel of each platform has its tags, the program as an executable script, and complete metadata.
func TestWheelOfEachPlatform(t *testing.T) {
	t.Parallel()
	program := wheelProgram(t)
	for _, p := range wheelPlatforms {
		t.Run(p.system+" "+p.machine, func(t *testing.T) {
			dir := t.TempDir()
			path := wheelMade(t, nil, "wheel.sh", p.system, p.machine, program, "0.2.0-rc.1", dir)
			if want := filepath.Join(dir, "nbduet-0.2.0rc1-py3-none-"+p.tags+".whl"); path != want {
				t.Errorf("made %s, want %s", path, want)
			}
			script := "nbduet-0.2.0rc1.data/scripts/" + p.script
			w := openWheel(t, path)
			w.has(t, "nbduet-0.2.0rc1", append([]string{script}, wheelModule...))
			text, err := os.ReadFile(program)
			must.NoError(t, err, must.Sprint("the program was changed"))
			test.True(t, bytes.Equal(w[script].text, text), test.Sprint("the program was changed"))
			text, err = os.ReadFile(filepath.Join(kit.Root, "skills", "nbduet", "SKILL.md"))
			must.NoError(t, err, must.Sprint("the skill is another one"))
			test.True(t, bytes.Equal(w[wheelSkill].text, text), test.Sprint("the skill is another one"))
			for name, f := range w {
				want := os.FileMode(0o644)
				if name == script {
					want = 0o755
				}
				if f.mode != want {
					t.Errorf("%s has the mode %v, want %v", name, f.mode, want)
				}
			}
			about := w.header(t, "nbduet-0.2.0rc1.dist-info/WHEEL")
			var tags []string
			for _, platform := range strings.Split(p.tags, ".") {
				tags = append(tags, "py3-none-"+platform)
			}
			got := slices.Sorted(slices.Values(about["Tag"]))
			test.SliceEqOp(t, slices.Sorted(slices.Values(tags)), got)
			test.Eq(t, "false", about.Get("Root-Is-Purelib"))
			said := w.header(t, "nbduet-0.2.0rc1.dist-info/METADATA")
			w.tells(t, said, "nbduet", "0.2.0rc1")
			needs, extras := said["Requires-Dist"], said["Provides-Extra"]
			test.SliceEqOp(t, []string{"nbduet-jupyter==0.2.0rc1; extra == 'jupyter'"}, needs)
			test.SliceEqOp(t, []string{"jupyter"}, extras)
			wheelIsValid(t, path)
		})
	}
}

// The wheel of the extension is for every platform and needs the program of the same version.
func TestWheelOfTheExtension(t *testing.T) {
	dir := t.TempDir()
	path := wheelMade(t, nil, "jupyter.sh", "0.0.1-dev.gabcdef0", dir)
	const name = "nbduet_jupyter-0.0.1.dev0+gabcdef0"
	if want := filepath.Join(dir, name+"-py3-none-any.whl"); path != want {
		t.Errorf("made %s, want %s", path, want)
	}
	w := openWheel(t, path)
	shared := name + ".data/data/"
	files := []string{
		"jupyter_mcp_server/__init__.py", "nbduet_jupyter/__init__.py", "nbduet_jupyter/child.py", "nbduet_jupyter/elsewhere.py",
		"nbduet_jupyter/extension.py", "nbduet_jupyter/handler.py", "nbduet_jupyter/identity.py", "nbduet_jupyter/log.py",
		"nbduet_jupyter/websocket.py", shared + "etc/jupyter/jupyter_server_config.d/nbduet_jupyter.json",
	}
	// The extension of JupyterLab is that of the program, with its version, and small.
	folder := t.TempDir()
	must.NoError(t, labextension.Write(folder, "0.0.1-dev.gabcdef0"))
	size := 0
	must.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		in := shared + "share/jupyter/labextensions/" + path
		files, size = append(files, in), size+len(text)
		if filepath.Base(path) != "package.json" {
			test.Eq(t, string(text), string(w[in].text), test.Sprint(path))
		}
		return err
	}))
	w.has(t, name, files)
	test.StrContains(t, string(w[shared+"share/jupyter/labextensions/nbduet-jupyter/package.json"].text), `"version": "0.0.1-dev.gabcdef0"`)
	test.Less(t, 150_000, size)
	said := w.header(t, name+".dist-info/METADATA")
	w.tells(t, said, "nbduet-jupyter", "0.0.1.dev0+gabcdef0")
	if !slices.Contains(said["Requires-Dist"], "nbduet==0.0.1.dev0+gabcdef0") {
		t.Errorf("it needs %q", said["Requires-Dist"])
	}
	wheelIsValid(t, path)
}

// Packing one commit twice gives the same bytes, which an index requires of a file that is uploaded again.
func TestWheelIsReproducible(t *testing.T) {
	t.Parallel()
	program := wheelProgram(t)
	for name, args := range map[string][]string{
		"wheel.sh": {"linux", "amd64", program, "0.1.0"}, "jupyter.sh": {"0.1.0"},
	} {
		first, err := os.ReadFile(wheelMade(t, nil, name, append(args, t.TempDir())...))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(program, 0o777); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(wheelMade(t, []string{"TZ=Asia/Tokyo", "LC_ALL=C"}, name, append(args, t.TempDir())...))
		must.NoError(t, err, must.Sprint(name))
		test.True(t, bytes.Equal(first, again), test.Sprint(name))
		later, err := os.ReadFile(wheelMade(t, []string{"SOURCE_DATE_EPOCH=1000000000"}, name, append(args, t.TempDir())...))
		must.NoError(t, err, must.Sprint(name))
		test.False(t, bytes.Equal(first, later), test.Sprint(name))
	}
}

// The versions of tags, in Python's form, and invalid ones.
func TestWheelVersions(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0": "0.1.0", "1.10.203": "1.10.203", "0.2.0-rc.1": "0.2.0rc1", "0.2.0-beta.0": "0.2.0b0", "2.0.0-alpha.12": "2.0.0a12",
		"0.0.1-dev.gabcdef0": "0.0.1.dev0+gabcdef0", "0.0.1-dev.g0123456789abcdef0123456789abcdef01234567": "0.0.1.dev0+g0123456789abcdef0123456789abcdef01234567",
		"": "", "v0.1.0": "", "0.1": "", "0.1.0.1": "", "01.0.0": "", "0.1.0-rc1": "", "0.1.0-rc.01": "", "0.1.0rc1": "", "0.1.0-dev": "",
		"0.1.0-dev.1": "", "0.0.1-dev.gabc": "", "0.0.1-dev.gABCDEF0": "", "0.1.0+build": "", " 0.1.0": "", "0.1.0\n": "", "0.1.0-next": "",
	} {
		out, said, err := wheelScript(t, nil, "jupyter.sh", version, t.TempDir())
		var exit *exec.ExitError
		switch {
		case want != "" && (err != nil || !strings.Contains(out, "nbduet_jupyter-"+want+"-py3")):
			t.Errorf("%q made %s, not of %s: %v\n%s", version, out, want, err, said)
		case want == "" && (!errors.As(err, &exit) || strings.Count(said, "\n") != 1 || !strings.Contains(said, strings.ReplaceAll(version, "\n", `\n`)+"' is no version")):
			t.Errorf("%q: %v, said %q, want one line that refuses it", version, err, said)
		}
	}
}

// The error for a platform without a wheel is one line with the supported ones. macOS's universal program has no wheel
// either, but a release packs it for other uses.
func TestWheelOfNoPlatform(t *testing.T) {
	program := wheelProgram(t)
	for _, c := range []struct {
		env    []string
		script string
		args   []string
		says   string
	}{
		{nil, "wheel.sh", []string{"freebsd", "amd64", program, "0.1.0"}, "no wheel for freebsd/amd64: there are those for linux, darwin and windows, each amd64 and arm64"},
		{nil, "wheel.sh", []string{"linux", "riscv64", program, "0.1.0"}, "no wheel for linux/riscv64: there are"},
		{nil, "wheel.sh", []string{"linux", "all", program, "0.1.0"}, "no wheel for linux/all: there are"},
		{nil, "wheel.sh", []string{"linux", "amd64", program + "-none", "0.1.0"}, "no program " + program + "-none"},
		{[]string{"GOOS=plan9", "GOARCH=386"}, "wheels.sh", nil, "no wheel for plan9/386: there are"},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		_, said, err := wheelScript(t, c.env, c.script, append(c.args, dir)...)
		must.Error(t, err)
		test.StrContains(t, said, c.says)
		test.Eq(t, 1, strings.Count(said, "\n"))
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s %q made its folder", c.script, c.args)
		}
	}
	dir := t.TempDir()
	if made := wheelMade(t, nil, "wheel.sh", "darwin", "all", program, "0.1.0", dir); made != "" {
		t.Errorf("for macOS's universal program it made %s", made)
	}
}

// wheel maps names to the files of a wheel.
type wheel map[string]struct {
	text []byte
	mode os.FileMode
}

func openWheel(t *testing.T, path string) wheel {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	w := wheel{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		file := w[f.Name]
		file.text, file.mode = text, f.Mode()
		w[f.Name] = file
	}
	if len(w) != len(z.File) {
		t.Errorf("%s has a file twice", path)
	}
	return w
}

// has checks that a wheel has exactly these files and its metadata, and that it lists all with hash and length.
func (w wheel) has(t *testing.T, name string, files []string) {
	t.Helper()
	for _, f := range []string{"METADATA", "WHEEL", "RECORD", "licenses/LICENSE"} {
		files = append(files, name+".dist-info/"+f)
	}
	slices.Sort(files)
	var got, want []string
	for f := range w {
		got = append(got, f)
	}
	slices.Sort(got)
	if !slices.Equal(got, files) {
		t.Errorf("the wheel has\n%q, want\n%q", got, files)
	}
	if !strings.HasPrefix(string(w[name+".dist-info/licenses/LICENSE"].text), "MIT License") {
		t.Error("the license is not in it")
	}
	listed, err := csv.NewReader(bytes.NewReader(w[name+".dist-info/RECORD"].text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, line := range listed {
		got = append(got, strings.Join(line, ","))
	}
	for f, file := range w {
		sum := sha256.Sum256(file.text)
		line := fmt.Sprintf("%s,sha256=%s,%d", f, base64.RawURLEncoding.EncodeToString(sum[:]), len(file.text))
		if strings.HasSuffix(f, "/RECORD") {
			line = f + ",,"
		}
		want = append(want, line)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the record is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// header reads a file of a wheel in the format of mail headers.
func (w wheel) header(t *testing.T, name string) mail.Header {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(append(slices.Clone(w[name].text), "\r\n\r\n"...)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m.Header
}

// tells checks that the metadata are those of the project's packages.
func (w wheel) tells(t *testing.T, said mail.Header, name, version string) {
	t.Helper()
	for field, want := range map[string]string{
		"Metadata-Version": "2.4", "Name": name, "Version": version, "License-Expression": "MIT", "License-File": "LICENSE",
		"Requires-Python": ">=3.9", "Description-Content-Type": "text/markdown",
	} {
		if got := said.Get(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	text := string(w[strings.ReplaceAll(name, "-", "_")+"-"+version+".dist-info/METADATA"].text)
	_, about, _ := strings.Cut(text, "\n\n")
	if !strings.HasPrefix(about, "# "+name+"\n\n<!-- mcp-name: io.github.nbduet/nbduet -->\n") {
		t.Errorf("the description begins %.200q: a registry looks there for the name of the server", about)
	}
	// Its links have to work outside the repository.
	for _, piece := range strings.Split(about, "](")[1:] {
		if !strings.HasPrefix(piece, "https://") {
			t.Errorf("the description links to %.60q", piece)
		}
	}
}

// wheelIsValid lets Python's own packaging library read a wheel's name and metadata; it is as strict as the index.
func wheelIsValid(t *testing.T, path string) {
	t.Helper()
	top, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), wheelPython(t), "-c", `
import sys, zipfile
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename
from packaging.version import Version
path = sys.argv[1]
name, version, build, tags = parse_wheel_filename(path.rpartition("/")[2])
with zipfile.ZipFile(path) as z:
    assert z.testzip() is None
    text = z.read(next(n for n in z.namelist() if n.endswith(".dist-info/METADATA")))
said = Metadata.from_email(text, validate=True)
assert (said.name.replace("_", "-"), said.version) == (name, version) and not build, (said.name, said.version)
assert str(Version(str(version))) == str(version)
`, path)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(top, ".cache", "wheel"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// wheelPython returns the Python that packs the wheels.
func wheelPython(t *testing.T) string {
	t.Helper()
	top, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(top, ".venv", "bin", "python")
	if _, err := os.Stat(path); err != nil {
		path = "python3"
	}
	return path
}
