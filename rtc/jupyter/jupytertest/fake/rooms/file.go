package rooms

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/nbjson"
)

// file is a file with open rooms (jupyter_server_ydoc, loaders.py). It keeps the file's last known Info, and so
// detects writes by other programs.
type file struct {
	t     *Table
	id    string
	rooms int           // guarded by the table's mutex
	quit  chan struct{} // closed when its last room has ended
	lock  chan struct{} // holds a value while the fields below, or the file, are in use

	read    bool // last is valid
	last    Info
	current string // the path at the last check
}

func newFile(t *Table, id string) *file {
	f := &file{t: t, id: id, quit: make(chan struct{}), lock: make(chan struct{}, 1)}
	f.current, _ = t.cfg.Files.Path(id)
	return f
}

var (
	errGone      = errors.New("the file has no path any more")
	errOutOfBand = errors.New("another program wrote the file")
	errBrokenOff = errors.New("the save was broken off before it wrote anything")
)

func (f *file) path() (string, error) {
	path, ok := f.t.cfg.Files.Path(f.id)
	if !ok {
		return "", errGone
	}
	return path, nil
}

func (f *file) acquire() { f.lock <- struct{}{} }
func (f *file) release() { <-f.lock }

// same reports whether a file is unchanged since the last check.
func (f *file) same(now Info) bool {
	return f.last.Modified.Equal(now.Modified) && f.last.Hash == now.Hash
}

// load reads the content of the file: a notebook, a text, or base64.
func (f *file) load(format, typ string) (any, error) {
	f.acquire()
	defer f.release()
	path, err := f.path()
	if err != nil {
		return nil, err
	}
	b, info, err := f.t.cfg.Files.Load(path, format, typ)
	if err != nil {
		return nil, err
	}
	content, err := f.decode(b, format, typ)
	if errors.As(err, new(*nbjson.RaisedError)) {
		return nil, err
	}
	if err != nil {
		return nil, &HTTPError{Status: http.StatusBadRequest, Message: fmt.Sprintf("%s: %v", path, err)}
	}
	f.last, f.read = info, true
	return content, nil
}

func (f *file) decode(b []byte, format, typ string) (any, error) {
	switch {
	case typ == "notebook":
		nb, err := nbjson.Read(b)
		if err != nil {
			return nil, err
		}
		return nb, f.t.cfg.Store.notary.Mark(nb)
	case format != "text":
		return encodeBase64(b), nil
	case !utf8.Valid(b):
		return nil, errors.New("it is not UTF-8 encoded")
	case typ == "file":
		return strings.ReplaceAll(string(b), "\r\n", "\n"), nil
	}
	return string(b), nil
}

func (f *file) encode(content any, format, typ string) ([]byte, error) {
	if nb, ok := content.(map[string]any); ok {
		if err := f.t.cfg.Store.notary.Sign(nb); err != nil {
			return nil, err
		}
		return nbjson.Write(nb)
	}
	s, _ := content.(string)
	switch format {
	case "text":
		return []byte(s), nil
	case "base64":
		return base64.StdEncoding.DecodeString(strings.ReplaceAll(s, "\n", ""))
	}
	return nil, fmt.Errorf("the %s of a %s cannot be saved", format, typ)
}

// encodeBase64 encodes base64 in lines, as the contents API does.
func encodeBase64(b []byte) string {
	const line = 57
	var out strings.Builder
	for len(b) > 0 {
		n := min(line, len(b))
		out.WriteString(base64.StdEncoding.EncodeToString(b[:n]))
		out.WriteByte('\n')
		b = b[n:]
	}
	return out.String()
}

// save writes a content. It returns nil if the file is not writable, errOutOfBand if another program wrote it, and
// errBrokenOff if stop was closed in time; once it writes, it does not stop.
func (f *file) save(content any, format, typ string, stop <-chan struct{}) (*Info, error) {
	select {
	case f.lock <- struct{}{}:
	case <-stop:
		return nil, errBrokenOff
	}
	defer f.release()
	path, err := f.path()
	if err != nil {
		return nil, err
	}
	now, err := f.t.cfg.Files.Stat(path)
	if err != nil {
		return nil, err
	}
	unwritten, slow, failing := f.t.faults.saves()
	switch {
	case stopped(stop):
		return nil, errBrokenOff
	case !now.Writable || unwritten:
		return nil, nil // neither written nor an error
	case !f.same(now):
		f.last = now
		return nil, errOutOfBand
	case failing:
		return nil, errors.New("saves fail")
	}
	f.t.sleep(slow)
	b, err := f.encode(content, format, typ)
	if err != nil {
		return nil, err
	}
	written, err := f.t.cfg.Files.Store(path, b)
	if err != nil {
		// It may have been renamed meanwhile.
		if now, gone := f.path(); gone == nil && now != path {
			written, err = f.t.cfg.Files.Store(now, b)
		}
	}
	if err != nil {
		return nil, err
	}
	f.last = written
	return &written, nil
}

// stopped reports whether a channel is closed.
func stopped(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sleep waits for d, or until the table is closed.
func (t *Table) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.quit:
	}
}

// watch checks the file regularly until its last room has ended.
func (f *file) watch() {
	interval := f.t.cfg.PollInterval
	if interval < 0 {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.look()
		case <-f.quit:
			return
		case <-f.t.quit:
			return
		}
	}
}

// look notifies the rooms if the file was renamed, or written by another program.
func (f *file) look() {
	renamed, written := f.compare()
	if !renamed && !written {
		return
	}
	for _, r := range f.t.where(func(r *room) bool { return r.file == f }) {
		r.do(func() {
			if !r.ready {
				return
			}
			if path := r.path(); renamed && path != "" {
				_ = r.doc.SetState("path", path) // fails only with a broken document
				r.settle()
			}
			if written {
				r.emit("INFO", "overwrite", "Out-of-band changes. Overwriting the room.")
				r.reload()
			}
		})
	}
}

func (f *file) compare() (renamed, written bool) {
	f.acquire()
	defer f.release()
	path, err := f.path()
	if err != nil {
		return false, false
	}
	renamed = path != f.current
	f.current = path
	now, err := f.t.cfg.Files.Stat(path)
	if err != nil {
		return false, false
	}
	written = f.read && (now.Modified.After(f.last.Modified) || now.Modified.Equal(f.last.Modified) && now.Hash != f.last.Hash)
	f.last = now
	return renamed, written
}
