package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A mistake in a file of another system is found for that system only.
func TestFindsMistakesOfASystem(t *testing.T) {
	program := filepath.Join(t.TempDir(), "vetsource")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput()
	must.NoError(t, err, must.Sprint(string(out)))
	for name, mistake := range map[string]string{
		"a check": `fmt.Printf("%d", "a")`,
		"a type":  `fmt.Println(1 + "a")`,
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"go.mod":        "module example.org/m\n\ngo 1.26\n",
			"a.go":          "package a\n",
			"a_windows.go":  "package a\n\nimport \"fmt\"\n\nfunc a() { " + mistake + " }\n",
			"a_test.go":     "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
			"b/b_darwin.go": "package b\n",
		} {
			must.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
			must.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
		for system, found := range map[string]bool{"linux": false, "windows": true} {
			cmd := exec.CommandContext(t.Context(), program, "./...")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+system)
			out, err := cmd.CombinedOutput()
			test.Eq(t, found, err != nil, test.Sprint(name, system, string(out)))
			if found {
				test.StrContains(t, string(out), "a_windows.go:5", test.Sprint(name))
			}
		}
	}
}
