package jupyterhub

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
)

// onYourMachine is the page's heading.
const onYourMachine = "1. On your machine"

// The program runs on a user's machine, with a server of the hub, which has a prefix.
func TestOnYourMachine(t *testing.T) {
	both(t, func(t *testing.T, version int) {
		s := &site{Hub: start(t, hubs.Options{Version: version, Prefix: "/labs/", Config: block(t, onYourMachine, "python")})}
		s.ann = joined(t, s.Hub, "ann")
		t.Run("work", s.work)
		t.Run("name that is escaped", s.escaped)
		t.Run("others", s.others)
		t.Run("shared server", s.shared)
		t.Run("stopped server", s.stopped)
		t.Run("removed user", s.removed)
	})
}

// site is a hub with ann's server.
type site struct {
	*hubs.Hub
	ann string // the address of her server
}

// mine is the scope of a token that may only use a user's own servers.
func mine(user string) string { return "access:servers!user=" + user }

// work does the most common work with the page's configuration.
func (s *site) work(t *testing.T) {
	made := token(t, s.Hub, "ann", mine("ann"))
	s.works(t, laptop(t, configured(t, onYourMachine, s.Hub, made)), s.ann, "ann", made)
}

// escaped does the same with a user name that is escaped in the address.
func (s *site) escaped(t *testing.T) {
	const user = "zoë o'neil+x@example.org"
	address := joined(t, s.Hub, user)
	made := token(t, s.Hub, user, mine(user))
	s.works(t, laptop(t, at(address, made)), address, user, made)
	must.NoError(t, s.StopServer(t.Context(), user))
}

// works makes a notebook with another member in its room, edits it, runs it, gets an image, and reads it.
func (s *site) works(t *testing.T, a *agent.Agent, address, user string, made hubs.Token) {
	t.Helper()
	const path = "work.ipynb"
	do(t, a, "create_document", map[string]any{"path": path}, nil)
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": "x = 6"}}}, nil)
	m := join(t, address, made, path)
	list, err := sources(t.Context(), a, path)
	must.NoError(t, err)
	must.NoError(t, m.sees(list...))
	m.types(0, "# by hand\n")
	do(t, a, "edit_text", map[string]any{"path": path, "old_text": "x = 6", "new_text": "x = 7"}, nil)
	list[0] = "# by hand\nx = 7"
	must.NoError(t, m.sees(list...))

	const plot = "import matplotlib.pyplot as plt\nplt.plot([1, 3, x])\nplt.show()"
	var ran agent.Executed
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 1, "cells": []any{map[string]any{"content": plot}}}, nil)
	answer := do(t, a, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0, "end": 2}}, "timeout": 60}, &ran)
	if len(answer.Images) != 1 {
		t.Fatalf("%d images: %s", len(answer.Images), answer.Text)
	}
	_, err = png.Decode(bytes.NewReader(answer.Images[0].Data))
	must.NoError(t, err)
	list = slices.Insert(list, 1, plot)
	must.NoError(t, m.sees(list...))
	got, err := sources(t.Context(), a, path)
	must.NoError(t, err)
	test.SliceEqOp(t, list, got)
	must.NoError(t, poll.Until(t.Context(), "the file to have the image", func(context.Context) error {
		cells, err := nbfile.Read(filepath.Join(s.Home(user), path))
		if err == nil && !slices.ContainsFunc(cells, func(c nbfile.Cell) bool {
			return slices.ContainsFunc(c.Outputs, func(o nbfile.Output) bool { return len(o.Data["image/png"]) > 0 })
		}) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
}

// secret is in a notebook of ann that others must not see.
const secret = "# for ann's eyes alone"

// refused wants a tool's error that gives the reason and has no content of ann's files.
func refused(t *testing.T, a *agent.Agent, tool string, args map[string]any, says ...string) {
	t.Helper()
	answer, err := a.Call(t.Context(), tool, args)
	must.NoError(t, err)
	test.True(t, answer.IsError, test.Sprint(tool))
	test.StrNotContains(t, answer.Text, secret, test.Sprint(tool))
	for _, s := range says {
		if !strings.Contains(answer.Text, s) {
			t.Errorf("%s: %q is not in %s", tool, s, answer.Text)
		}
	}
}

// asking returns calls that the server has to answer each time, with arguments for a notebook there.
func asking(path string) map[string]map[string]any {
	return map[string]map[string]any{
		"list_nbs":             {},
		"list_documents":       {},
		"list_kernels":         {},
		"get_document_info":    {"path": path, "include_content": true},
		"get_document_content": {"path": path},
		"session_create":       {"notebook_path": path},
		"rename_document":      {"path": path, "newPath": "renamed.ipynb"},
		"copy_document":        {"path": path, "copyPath": "copied.ipynb"},
		"delete_document":      {"path": path},
		"create_document":      {"path": "created.ipynb"},
	}
}

// opening returns calls that need the room of a notebook, which the first of them opens.
func opening(path string) map[string]map[string]any {
	return map[string]map[string]any{
		"read_nb_cells":    {"path": path},
		"get_nb_stat":      {"path": path},
		"look_around":      {"path": path},
		"insert_nb_cells":  {"path": path, "position": 0, "cells": []any{map[string]any{"content": "1"}}},
		"execute_nb_cells": {"path": path, "ranges": []any{map[string]any{"start": 0, "end": 1}}},
	}
}

// out wants each call of both kinds to be refused for a reason, and ann's files to be unchanged.
func (s *site) out(t *testing.T, a *agent.Agent, path, why string) {
	t.Helper()
	before := files(t, s.Hub, "ann")
	for _, calls := range []map[string]map[string]any{asking(path), opening(path)} {
		for tool, args := range calls {
			refused(t, a, tool, args, why)
		}
	}
	if after := files(t, s.Hub, "ann"); !slices.Equal(before, after) {
		t.Errorf("of ann's files %q were made %q", before, after)
	}
}

// opened makes a notebook of ann that an agent has open, with a first cell that is in its file too.
func (s *site) opened(t *testing.T, a *agent.Agent, path, source string) {
	t.Helper()
	do(t, a, "create_document", map[string]any{"path": path}, nil)
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": source}}}, nil)
	must.NoError(t, poll.Until(t.Context(), "the file to have the cell", func(context.Context) error {
		cells, err := nbfile.Read(filepath.Join(s.Home("ann"), path))
		if err == nil && (len(cells) == 0 || string(cells[0].Source) != source) {
			err = fmt.Errorf("%+v", cells)
		}
		return err
	}))
}

// others checks that other users are refused with each of their tokens, and ann with a token for something else.
func (s *site) others(t *testing.T) {
	const path = "hers.ipynb"
	s.opened(t, laptop(t, at(s.ann, token(t, s.Hub, "ann", mine("ann")))), path, secret)
	must.NoError(t, s.AddUsers(t.Context(), "bob"))
	for name, c := range map[string]struct {
		made hubs.Token
		why  string
	}{
		"all that bob may":     {token(t, s.Hub, "bob"), "it is bob's, and lacks the scope access:servers!server=ann/"},
		"bob's own server":     {token(t, s.Hub, "bob", mine("bob")), "it is bob's, and lacks the scope access:servers!server=ann/"},
		"ann's name, no more":  {token(t, s.Hub, "ann", "read:users:name!user=ann"), "it is ann's, and lacks the scope access:servers!user=ann"},
		"a token of nobody's":  {hubs.Token{Secret: strings.Repeat("0", 32)}, unknown},
		"ann's activity alone": {token(t, s.Hub, "ann", "users:activity!user=ann"), "it is ann's, and lacks the scope access:servers!user=ann"},
	} {
		t.Run(name, func(t *testing.T) { s.out(t, laptop(t, at(s.ann, c.made)), path, c.why) })
	}
}

// unknown is in the error for a token that the hub does not know or has revoked.
const unknown = "JupyterHub does not know the token"

// shared lets a guest work in ann's server as in their own, until she revokes the share.
func (s *site) shared(t *testing.T) {
	const path = "shared.ipynb"
	must.NoError(t, s.AddUsers(t.Context(), "guest"))
	hers := token(t, s.Hub, "ann")
	must.NoError(t, s.CallAs(t.Context(), hers, http.MethodPost, "/shares/ann/", map[string]any{"user": "guest"}, nil))
	a := laptop(t, at(s.ann, token(t, s.Hub, "guest", "access:servers!server=ann/")))
	s.opened(t, a, path, "print(6 * 7)")
	m := join(t, s.ann, token(t, s.Hub, "ann", mine("ann")), path)
	m.types(0, "# ann\n")
	do(t, a, "execute_nb_cells", map[string]any{"path": path, "ranges": []any{map[string]any{"start": 0, "end": 1}}}, nil)
	must.NoError(t, m.sees("# ann\nprint(6 * 7)", ""))
	must.NoError(t, s.CallAs(t.Context(), hers, http.MethodDelete, "/shares/ann/", nil, nil))
	const ended = "lacks the scope access:servers!server=ann/"
	ends(t, a, path, ended)
	// A new client of the guest, without an open room, is refused too.
	s.out(t, laptop(t, at(s.ann, token(t, s.Hub, "guest"))), path, ended)
}

// ends waits until an agent with an open notebook is refused, and checks that everything is refused from then on, for a
// reason. The agent makes calls that need only the open room, whose connection the server keeps: this may take half a
// minute, plus the ten seconds for which the page lets the server cache a token.
func ends(t *testing.T, a *agent.Agent, path, why string) {
	t.Helper()
	began := time.Now()
	must.NoError(t, poll.Until(t.Context(), "a call to be refused", func(ctx context.Context) error {
		answer, err := a.Call(ctx, "read_nb_cells", map[string]any{"path": path})
		must.NoError(t, err)
		if !answer.IsError {
			return fmt.Errorf("read_nb_cells is answered: %s", answer.Text)
		}
		return nil
	}))
	if took := time.Since(began); took > within {
		t.Errorf("it was let in for %s", took)
	}
	for _, calls := range []map[string]map[string]any{asking(path), opening(path)} {
		for tool, args := range calls {
			refused(t, a, tool, args, why)
		}
	}
	text, err := a.Read(t.Context(), listed)
	must.Error(t, err, must.Sprint(listed, text))
	test.StrContains(t, err.Error(), why, test.Sprint(listed, text))
}

const (
	// within is how long access may last after its end: 30 s, ten for the server, and some on a slow machine.
	within = 50 * time.Second
	// listed is a resource that the program answers without the server.
	listed = "notebook://list"
)

// stopped ends ann's server while rooms are open, and starts it again. In the meantime one client's token is revoked:
// that client gets an error that says so, and no access to the server after its start.
func (s *site) stopped(t *testing.T) {
	const path, other = "stopped.ipynb", "revoked.ipynb"
	made, lost := token(t, s.Hub, "ann", mine("ann")), token(t, s.Hub, "ann", mine("ann"))
	a, b := laptop(t, at(s.ann, made)), laptop(t, at(s.ann, lost))
	s.opened(t, a, path, "before = 1")
	s.opened(t, b, other, secret)
	must.NoError(t, s.Revoke(t.Context(), "ann", lost))
	ends(t, b, other, unknown)

	must.NoError(t, s.StopServer(t.Context(), "ann"))
	refused(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 0, "cells": []any{map[string]any{"content": "lost = 1"}}}, notRunning)
	refused(t, a, "list_documents", map[string]any{}, notRunning, "lacks the scope start:servers!user=ann")
	_, err := s.StartServer(t.Context(), "ann")
	must.NoError(t, err)
	must.NoError(t, poll.Until(t.Context(), "the notebook to be read", func(ctx context.Context) error {
		got, err := sources(ctx, a, path)
		if err == nil && !slices.Equal(got, []string{"before = 1", ""}) {
			t.Fatalf("read %q", got)
		}
		return err
	}))
	var ran agent.Executed
	do(t, a, "insert_nb_cells", map[string]any{"path": path, "position": 1, "exec": true, "cells": []any{map[string]any{"content": "print('after')"}}}, &ran)
	if text := fmt.Sprint(ran.ExecutionResults); !strings.Contains(text, "after") {
		t.Errorf("the run after the start: %s", text)
	}
	do(t, a, "edit_text", map[string]any{"path": other, "old_text": secret, "new_text": "# new, and not for b"}, nil)
	refused(t, b, "read_nb_cells", map[string]any{"path": other}, unknown)
}

// notRunning is in the error for a stopped server.
const notRunning = "the server of ann is not running on JupyterHub"
