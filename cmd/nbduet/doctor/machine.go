package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// tryState checks whether the state can be written, and leaves the folders as they were.
func tryState(x *examination) {
	const name = "state"
	folder, err := x.State()
	if err == nil {
		err = writable(folder)
	}
	if err != nil {
		x.note(Check{Name: name, Result: Wrong, Says: err.Error(), Fix: "state is lost when nbduet ends: make the folder writable, or give another file with --state"})
		return
	}
	x.fine(name, "%s is writable", folder)
}

// writable creates a file in a folder, and removes it again with all folders that it had to create.
func writable(folder string) error {
	var made []string
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	defer func() {
		for _, at := range made {
			_ = os.Remove(at) // fails if another program has put a file there
		}
	}()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("create the folder for the state: %w", err)
	}
	f, err := os.CreateTemp(folder, ".doctor-")
	if err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// lookAtClients checks the AI clients on this machine.
func lookAtClients(x *examination) {
	const name = "client"
	all, err := x.Clients()
	if err != nil {
		x.wrong(name, err)
		return
	}
	configured := false
	for _, c := range all {
		switch {
		case c.Problem != "":
			configured = true
			x.note(Check{Name: name, Result: Wrong, Says: c.Title + ": " + c.Problem, Fix: "`nbduet config " + c.Name + " --write` makes it start this nbduet, or the program of --command"})
		case c.Configured:
			configured = true
			x.fine(name, "%s has nbduet", c.Title)
		}
	}
	if !configured {
		x.note(Check{Name: name, Result: Note, Says: "no AI client of this machine has nbduet", Fix: "`nbduet config --list` lists them, `nbduet config NAME --write` adds nbduet to one"})
	}
}
