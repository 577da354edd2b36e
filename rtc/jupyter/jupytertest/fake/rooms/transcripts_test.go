package rooms

import (
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"github.com/nbduet/nbduet/ydoc/crdt"
	"github.com/nbduet/nbduet/ydoc/wire"
)

func (s *script) notebook() {
	path := s.track("a.ipynb", twoCells)
	var a, b *peer
	s.brief("join a notebook", func() { p, err := s.open("json", "notebook", path, ""); a = s.watch("a", p, err) })
	s.shape(a)
	s.step("edit a source", func() { a.typeInto(0, "é😀 ") })
	s.step("set the state alone", func() { a.edit(func(x *crdt.Tx) { x.Set(a.state, "dirty", true) }) })
	s.step("ask for a save", func() { a.send(wire.AppendSave(nil, 7)) })
	s.step("edit and ask for a save", func() { a.typeInto(1, "save "); a.send(wire.AppendSave(nil, 1<<40)) })
	s.brief("another joins", func() { p, err := s.open("json", "notebook", path, ""); b = s.watch("b", p, err) })
	s.brief("a state that wants no saves", func() { a.send(awarenessOf(1, 1, `{"autosave": false}`)) })
	s.step("edit, unsaved", func() { b.typeInto(1, "unsaved ") })
	s.step("ask for a save nevertheless", func() { b.send(wire.AppendSave(nil, 1)) })
	s.brief("goodbye", func() { a.send(awarenessOf(1, 2, "null")) })
	s.brief("two goodbyes at once", func() {
		a.send(wire.AppendAwareness(nil, append(append([]byte{2, 5, 1}, 4), "null\x06\x01\x04null"...)))
	})
	s.step("edit, saved", func() { b.typeInto(1, "saved ") })
	s.brief("the same update again", func() {
		whole, err := b.replica.Diff(nil)
		if err != nil {
			s.t.Fatal(err)
		}
		b.send(wire.AppendUpdate(nil, whole))
		b.send(wire.AppendSyncStep2(nil, []byte{0, 0}))
	})
	s.step("an edit as sync step 2", func() {
		var u []byte
		b.replica.OnUpdate(func(update []byte) { u = update })
		b.replica.Read("edit", func() {
			b.replica.Transact(func(x *crdt.Tx) { x.Set(b.cell(0).Child("metadata", crdt.KindMap), "n", 1.5) })
		})
		b.send(wire.AppendSyncStep2(nil, u))
	})
	s.leave()
}

func (s *script) frames() {
	path := s.track("a.ipynb", twoCells)
	var a, b *peer
	s.brief("two join", func() {
		p, err := s.open("json", "notebook", path, "")
		a = s.watch("a", p, err)
		p, err = s.open("json", "notebook", path, "")
		b = s.watch("b", p, err)
	})
	s.brief("frames to be ignored", func() {
		for _, f := range []string{"\x03", "\x7d\x03abc", "\x00\x05\x00", "\x00\x02\x02\xff\xff", "\x01\x03abc", "\x02\x04nope", "\x02", "\x00\x00\x01\x05"} {
			b.send([]byte(f))
		}
	})
	s.brief("a text frame", func() { _ = b.ws.WriteMessage(websocket.TextMessage, []byte("hello")) })
	s.brief("an empty frame", func() {
		p, err := s.open("json", "notebook", path, "")
		s.watch("c", p, err).send(nil)
	})
	s.brief("a save without an id", func() {
		p, err := s.open("json", "notebook", path, "")
		s.watch("d", p, err).send([]byte("\x02\x04save"))
	})
	s.brief("the first is still there", func() { a.send(wire.AppendSyncStep1(nil, []byte{0})) })
	s.leave()
}

func awarenessOf(client, clock byte, state string) []byte {
	return wire.AppendAwareness(nil, append([]byte{1, client, clock, byte(len(state))}, state...))
}

func (s *script) fileChanges() {
	path := s.track("b.ipynb", twoCells)
	var a *peer
	s.brief("join another notebook", func() { p, err := s.open("json", "notebook", path, ""); a = s.watch("a", p, err) })
	s.step("save it", func() { a.send(wire.AppendSave(nil, 1)) })
	s.external("another program writes the same", func() { s.write(path, s.file(path)) })
	s.external("another program writes", func() {
		content := strings.Replace(s.file(path), "# Title", "# Another", 1)
		content = strings.Replace(content, `"cells": [`, `"cells": [{"cell_type": "raw", "id": "new", "metadata": {}, "source": []},`, 1)
		s.files[path] = s.write(path, content)
		s.files[path] = content
	})
	s.shape(a)
	s.external("it is renamed", func() {
		if err := s.rename(path, "c.ipynb"); err != nil {
			s.t.Error(err)
		}
		path = "c.ipynb"
		s.files = map[string]string{path: s.file(path)}
	})
	s.step("it is edited", func() { a.typeInto(2, "renamed ") })
	s.external("it becomes invalid", func() {
		s.files[path] = "{"
		s.write(path, "{")
	})
	s.step("it is edited again", func() { a.typeInto(2, "invalid ") })
	s.step("it is deleted", func() {
		if err := s.erase(path); err != nil {
			s.t.Error(err)
		}
	})
	s.step("it is edited without a file", func() { a.typeInto(2, "deleted ") })
	s.step("it is saved without a file", func() { a.send(wire.AppendSave(nil, 2)) })
	s.leave()
}

// rewrites makes another program write a notebook in several ways.
func (s *script) rewrites() {
	const (
		stream = `{"cell_type": "code", "id": "s", "source": ["print(1)"], "metadata": {"k": {"a": [1, 2.5]}}, "execution_count": 1,
 "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n", "2"]}]}`
		rich = `{"cell_type": "code", "id": "r", "source": "2.5", "metadata": {}, "execution_count": 2, "outputs": [
 {"output_type": "execute_result", "execution_count": 2, "data": {"text/plain": ["2.5\n", "x"], "application/json": {"n": 1.0}}, "metadata": {}},
 {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["a", "b"]}]}`
		prose = `{"cell_type": "markdown", "id": "m", "source": "# Title\n", "metadata": {}, "attachments": {}}`
		image = `{"cell_type": "markdown", "id": "i", "source": [], "metadata": {}, "attachments": {"a.png": {"image/png": "QUJD"}}}`
		raw   = `{"cell_type": "raw", "id": "w", "source": "raw", "metadata": {"format": "x"}}`
	)
	notebook := func(metadata string, cells ...string) string {
		return `{"nbformat": 4, "nbformat_minor": 5, "metadata": ` + metadata + `, "cells": [` + strings.Join(cells, ",\n") + `]}`
	}
	path := s.write("r.ipynb", notebook("{}", stream, rich, prose))
	var a *peer
	s.brief("join a notebook that others write", func() { p, err := s.open("json", "notebook", path, ""); a = s.watch("a", p, err) })
	s.shape(a)
	const spec = `{"kernelspec": {"name": "k", "display_name": "K"}, "n": 1.5}`
	for _, c := range []struct{ name, content string }{
		{"cells are turned round", notebook(spec, prose, rich, stream)},
		{"an output changes", notebook(spec, prose, strings.ReplaceAll(rich, "2.5", "3.5"), stream)},
		{"a stream changes", notebook(spec, prose, rich, strings.Replace(stream, `"2"`, `"3"`, 1))},
		{"outputs go", notebook(spec, strings.Replace(rich, `"outputs": [`, `"outputs": [], "x": [`, 1), raw, stream)},
		{"attachments come", notebook(spec, image, strings.Replace(prose, `{}}`, `{"b.png": {"image/png": "QUJD"}}}`, 1), raw)},
		{"attachments go", notebook(spec, prose, strings.Replace(image, `"a.png": {"image/png": "QUJD"}`, ``, 1), strings.Replace(raw, `"raw", "id"`, `"markdown", "id"`, 1))},
		{"all cells go", notebook("{}")},
	} {
		s.external(c.name, func() { s.write(path, c.content) })
		s.shape(a)
	}
	s.files = map[string]string{path: s.file(path)}
	s.step("an edit of that", func() { a.typeInto(0, "x") })
	s.leave()
}

// history makes a room end and be restored.
func (s *script) history() {
	path := s.track("h.ipynb", twoCells)
	s.enter(path)
	s.step("edit and leave", func() { s.peers[0].typeInto(0, "edit ") })
	s.leave()
	away := func(name string, f func()) {
		s.step(name, func() {
			f()
			time.Sleep(62 * time.Second)
		})
		s.enter(path)
		s.shape(s.peers[0])
	}
	away("come back", func() {})
	s.leave()
	away("come back to another file", func() {
		s.files[path] = strings.Replace(s.file(path), "# Title", "# Another", 1)
		s.write(path, s.files[path])
	})
	s.step("set what is not content", func() {
		a := s.peers[0]
		a.edit(func(x *crdt.Tx) { x.Set(a.cell(0), "execution_state", "running") })
	})
	s.leave()
}

// enter joins a notebook.
func (s *script) enter(path string) {
	s.brief("join", func() { p, err := s.open("json", "notebook", path, ""); s.watch("a", p, err) })
}

func (s *script) malformed() {
	path := s.track("m.ipynb", twoCells)
	var a *peer
	s.brief("join a notebook to be broken", func() { p, err := s.open("json", "notebook", path, ""); a = s.watch("a", p, err) })
	s.external("two cells have one id", func() {
		a.edit(func(x *crdt.Tx) {
			for i, source := range []string{"# Title", "# Other"} {
				c := x.InsertType(a.cells, 2+i, crdt.KindMap)
				x.Set(c, "cell_type", "markdown")
				x.Set(c, "id", "c1")
				x.InsertText(x.SetType(c, "source", crdt.KindText), 0, source)
				x.SetType(c, "metadata", crdt.KindMap)
			}
		})
	})
	s.step("a cell without metadata", func() {
		a.edit(func(x *crdt.Tx) {
			c := x.InsertType(a.cells, 0, crdt.KindMap)
			x.Set(c, "cell_type", "markdown")
			x.Set(c, "id", "x")
			x.InsertText(x.SetType(c, "source", crdt.KindText), 0, "malformed")
		})
	})
	s.step("it is saved", func() { a.send(wire.AppendSave(nil, 3)) })
	s.step("a plain cell", func() {
		a.edit(func(x *crdt.Tx) { x.Remove(a.cells, 0, 1); x.InsertValue(a.cells, 0, map[string]any{"id": "p"}) })
	})
	s.step("it is saved, too", func() { a.send(wire.AppendSave(nil, 4)) })
	s.step("it goes", func() { a.edit(func(x *crdt.Tx) { x.Remove(a.cells, 0, 1) }) })
	s.leave()
}

func (s *script) refusals() {
	s.files = nil
	good := s.write("g.ipynb", twoCells)
	bad := s.write("bad.ipynb", "{")
	empty := s.write("empty.ipynb", "")
	latin := s.write("latin.txt", "\xe9")
	if err := os.Mkdir(s.os("dir"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range []struct{ name, format, typ, path, session string }{
		{"an unknown session", "json", "notebook", good, "3e0f2a4c-0000-4000-8000-000000000000"},
		{"a file that is not there", "json", "notebook", "none.ipynb", ""},
		{"a broken notebook", "json", "notebook", bad, ""},
		{"an empty file as notebook", "json", "notebook", empty, ""},
		{"a text that is not UTF-8", "text", "file", latin, ""},
		{"a text as notebook", "json", "notebook", latin, ""},
		{"a folder", "json", "notebook", "dir", ""},
	} {
		s.brief(c.name, func() { p, err := s.open(c.format, c.typ, c.path, c.session); s.watch("a", p, err) })
		s.leave()
	}
	s.brief("an unknown file", func() { p, err := s.openRoom("json:notebook:3e0f2a4c"); s.watch("a", p, err) })
}

func (s *script) memory() {
	var a, b *peer
	s.brief("a room in memory", func() {
		p, err := s.openRoom("some:room")
		a = s.watch("a", p, err)
		p, err = s.openRoom("some:room")
		b = s.watch("b", p, err)
	})
	s.brief("an edit in memory", func() { a.edit(func(x *crdt.Tx) { x.InsertText(a.source, 0, "hello") }) })
	s.brief("a save in memory", func() { b.send(wire.AppendSave(nil, 5)) })
	s.leave()
	s.brief("escaped colons", func() { p, err := s.openRoom("json%3Anotebook%3Aany"); s.watch("a", p, err) })
	s.leave()
}

func (s *script) texts() {
	for _, c := range []struct{ format, typ, path, content string }{
		{"text", "file", "a.txt", "one\r\ntwo\r\n"},
		{"text", "odd", "b.txt", "one\r\ntwo\r\n"},
		{"base64", "file", "c.bin", strings.Repeat("\x00\xff\xe9", 30)},
		{"json", "notebook", "d.ipynb", `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}`},
	} {
		path := s.track(c.path, c.content)
		var a *peer
		s.brief("join "+c.path, func() { p, err := s.open(c.format, c.typ, path, ""); a = s.watch("a", p, err) })
		if c.typ == "notebook" {
			s.step("edit "+c.path, func() { a.typeInto(0, "x") })
			s.leave()
			continue
		}
		s.shape(a)
		s.step("edit "+c.path, func() { a.edit(func(x *crdt.Tx) { x.InsertText(a.source, 0, "AAAA") }) })
		s.external("another program writes "+c.path, func() {
			s.files[path] = "one\ntwo\nthree\n"
			s.write(path, s.files[path])
		})
		s.leave()
	}
}
