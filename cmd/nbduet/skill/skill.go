// Package skill prints the skill, or writes it where clients look for skills.
package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/skills"
)

// Flags are the flags of nbduet skill.
type Flags struct {
	Write bool `name:"write" help:"Write the skill to the named folder, or else to the user's folders of skills: ~/.agents/skills for Codex, Cursor, Gemini CLI and others, ~/.claude/skills for Claude Code, if that is on this machine."`
}

// Run runs nbduet skill. usual returns the default folders.
func (f Flags) Run(folders []string, usual func() ([]string, error), out io.Writer) error {
	if !f.Write {
		if len(folders) > 0 {
			return options.UsageError{Err: fmt.Errorf("%s is a folder to write to: add --write", folders[0])}
		}
		_, err := io.WriteString(out, skills.Notebook)
		return err
	}
	if len(folders) == 0 {
		var err error
		if folders, err = usual(); err != nil {
			return fmt.Errorf("%w; or name the folder of skills", err)
		}
	}
	for _, folder := range folders {
		did, err := write(filepath.Join(folder, filepath.FromSlash(skills.File)))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, did); err != nil {
			return err
		}
	}
	return nil
}

// write writes the skill into a file and says what it did. It keeps a backup of a file with different content.
func write(file string) (did string, err error) {
	old, err := os.ReadFile(file)
	switch {
	case err == nil && string(old) == skills.Notebook:
		return file + " has this skill", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the existing skill: %w", err)
	}
	did = "wrote " + file
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("create the skill's folder: %w", err)
	}
	if old != nil {
		backup := file + ".backup"
		if err := os.WriteFile(backup, old, 0o644); err != nil {
			return "", fmt.Errorf("back up the existing skill: %w", err)
		}
		did += "; its backup is " + backup
	}
	if err := os.WriteFile(file, []byte(skills.Notebook), 0o644); err != nil {
		return "", fmt.Errorf("write the skill: %w", err)
	}
	return did, nil
}
