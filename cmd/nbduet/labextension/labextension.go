// Package labextension has the built extension of JupyterLab, whose sources are in cmd/jupyter-extension/labextension.
package labextension

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the extension's name in JupyterLab.
const Name = "nbduet-jupyter"

//go:embed all:built
var built embed.FS

// Write writes the extension, with the version of the program, into a folder of its name below dir.
func Write(dir, version string) error {
	err := fs.WalkDir(built, "built", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("built", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, Name, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		text, err := built.ReadFile(name)
		if err == nil && rel == "package.json" {
			text, err = versioned(text, version)
		}
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o600)
	})
	if err != nil {
		return fmt.Errorf("write the extension of JupyterLab: %w", err)
	}
	return nil
}

// versioned sets the version in a package.json.
func versioned(text []byte, version string) ([]byte, error) {
	var about map[string]any
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, err
	}
	about["version"] = version
	return json.MarshalIndent(about, "", "  ")
}
