package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is a configuration file as it was read.
type file struct {
	named  string      // as named by the client
	target string      // the link's target, or the file itself
	text   []byte      // empty if the file does not exist
	info   fs.FileInfo // nil if the file does not exist
}

const (
	// largest is far above the size of any configuration, and still fits in memory.
	largest = 64 << 20
	// tries is how often a file is read again because another program writes it.
	tries = 10
)

var errMeanwhile = errors.New("changed meanwhile")

// meanwhile is called before a file is replaced; tests write the file in it.
var meanwhile = func() {}

func open(named string) (file, error) {
	f := file{named: named, target: named}
	for n := 0; ; n++ {
		info, err := os.Lstat(f.target)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			break
		}
		link, err := os.Readlink(f.target)
		if err != nil || n == 40 {
			return f, fmt.Errorf("%s: the symbolic link cannot be followed", named)
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(f.target), link)
		}
		f.target = link
	}
	info, err := os.Stat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, fmt.Errorf("%s is not a file", named)
	case info.Size() > largest:
		return f, fmt.Errorf("%s is larger than %d MB", named, largest>>20)
	}
	f.info = info
	f.text, err = os.ReadFile(f.target)
	return f, err
}

func (f file) backup() string { return f.named + ".nbduet-backup" }

// editable returns an error that says why a file cannot be changed.
func (f file) editable() error {
	if f.info != nil && f.info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only and was not changed: another program may generate it; nbduet config without --write prints the entry to add", f.named)
	}
	return nil
}

// edit reads a file and returns its new text. It checks whether an update would succeed.
func edit(named string, change func([]byte) ([]byte, error)) (f file, text []byte, err error) {
	if f, err = open(named); err != nil {
		return f, nil, err
	}
	if text, err = change(f.text); err != nil {
		return f, nil, fmt.Errorf("%s, which was not changed: %w", named, err)
	}
	if !bytes.Equal(text, f.text) {
		err = f.editable()
	}
	return f, text, err
}

// update changes a file. It returns the previous file and whether there was a change to make. If another program writes the
// file at the same time, update reads it again, so that nothing is lost.
func update(named string, change func([]byte) ([]byte, error)) (before file, changed bool, err error) {
	for range tries {
		f, text, err := edit(named, change)
		if err != nil || bytes.Equal(text, f.text) {
			return f, false, err
		}
		if err = f.replace(text); !errors.Is(err, errMeanwhile) {
			return f, err == nil, err
		}
	}
	return file{}, false, fmt.Errorf("%s was not changed: another program keeps writing it; stop it first", named)
}

// replace replaces the file's text, unless the file has changed since it was read.
func (f file) replace(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
		return err
	}
	written, err := beside(f.target, text, f.info)
	if err != nil {
		return err
	}
	defer os.Remove(written) // fails if it was renamed
	if f.info != nil {
		backup, err := beside(f.backup(), f.text, f.info)
		if err != nil {
			return err
		}
		if err := os.Rename(backup, f.backup()); err != nil {
			return errors.Join(err, os.Remove(backup))
		}
	}
	meanwhile()
	now, err := os.ReadFile(f.target)
	if gone := errors.Is(err, fs.ErrNotExist); gone != (f.info == nil) || err == nil && !bytes.Equal(now, f.text) {
		return errMeanwhile
	} else if err != nil && !gone {
		return err
	}
	return os.Rename(written, f.target)
}

// beside writes a text into a temporary file next to target, with the mode and owner of like. Without like, only the user
// can read it, because people write tokens into such files.
func beside(target string, text []byte, like fs.FileInfo) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(target), ".nbduet-*")
	if err != nil {
		return "", fmt.Errorf("%s was not changed: its folder cannot be written: %w", target, err)
	}
	if like != nil {
		err = errors.Join(keepOwner(f, like), f.Chmod(like.Mode().Perm()))
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("%s was not changed: %w", target, err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}
