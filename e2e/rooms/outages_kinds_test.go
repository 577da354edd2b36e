package rooms_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	program "github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/e2e/nbfile"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// outage is a way in which a server or its kernels go away and return.
type outage struct {
	// second is set if another server takes the first one's place, history if it knows the unsaved edits.
	second, history bool
	// lasts is set if the server stays away until the end, instead of returning at once.
	lasts bool
	// forgets is set if confirmed edits may be lost.
	forgets bool
	// others is set if other programs keep working in the meantime.
	others bool
	flags  []string
	// begin starts the outage, end ends it; both wait.
	begin, end func(*site)
}

var outages = map[string]outage{
	"killed": {
		second: true, forgets: true, lasts: true,
		begin: func(s *site) { s.crash() },
		end:   func(s *site) { s.replace() },
	},
	"restarted": {
		second: true, forgets: true,
		begin: func(s *site) { s.crash(); s.replace() },
		end:   func(*site) {},
	},
	"restarted with its unsaved edits": {
		second: true, history: true,
		begin: func(s *site) { s.crash(); s.replace() },
		end:   func(*site) {},
	},
	"stopped": {
		lasts: true,
		begin: func(s *site) { s.signal(syscall.SIGSTOP) },
		end:   func(s *site) { s.signal(syscall.SIGCONT) },
	},
	"black hole": {
		lasts: true, others: true,
		begin: func(s *site) { s.mend = s.line.fail(both("timeout", map[string]any{"timeout": 0})) },
		end:   func(s *site) { s.mend() },
	},
	"kernels killed": {
		begin: func(s *site) { s.killKernels() },
		end:   func(*site) {},
	},
	"kernels restarted": {
		begin: func(s *site) {
			s.eachKernel(func(id string) error { return s.rest(http.MethodPost, "/api/kernels/"+id+"/restart") })
		},
		end: func(*site) {},
	},
	"kernels culled": {
		flags: []string{
			"--MappingKernelManager.cull_idle_timeout=5", "--MappingKernelManager.cull_interval=1",
			"--MappingKernelManager.cull_busy=True", "--MappingKernelManager.cull_connected=True",
		},
		begin: func(s *site) { s.awaitNoKernel() },
		end:   func(*site) {},
	},
}

func newSite(t *testing.T, o outage) *site {
	t.Helper()
	s := &site{t: t, outage: o}
	if o.second {
		s.server, s.next = pair(t, o.history)
	} else {
		s.server = jupytertest.Start(t, jupytertest.WithFlags(o.flags...))
	}
	s.line = newLine(t, s.server)
	s.agent = s.start(s.line.url(), "--server-timeout="+seconds(serverTimeout.Seconds()), "--answer-within="+seconds(answerWithin.Seconds()))
	return s
}

func seconds(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// start starts the program for the server at an address.
func (s *site) start(url string, args ...string) *program.Agent {
	s.t.Helper()
	file, err := nbduet()
	if err != nil {
		s.t.Fatal(err)
	}
	env := append(lab.CleanEnv(), "HOME="+s.t.TempDir(), "JUPYTER_SERVER_URL="+url, "JUPYTER_TOKEN="+s.server.Token, "GORACE=atexit_sleep_ms=10")
	a, err := program.Start(s.t.Context(), program.Options{
		Binary: file, Env: env, Protocol: "2025-06-18",
		Args: append([]string{"--toolsets=all"}, args...),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return a
}

// crash kills the server while no file is partly written, see the function crash.
func (s *site) crash() {
	if err := poll.Until(s.t.Context(), "the server to write no file", func(ctx context.Context) error {
		if err := syscall.Kill(s.server.PID, syscall.SIGSTOP); err != nil {
			return err
		}
		err := poll.Until(ctx, "all of it to stand still", func(context.Context) error { return still(s.server.PID) })
		if err == nil {
			err = whole(s.server.Root)
		}
		if err == nil {
			return nil
		}
		return errors.Join(err, syscall.Kill(s.server.PID, syscall.SIGCONT))
	}); err != nil {
		s.t.Error(err)
	}
	s.server.Kill()
}

// whole returns an error that names an incomplete notebook of a folder.
func whole(root string) error {
	files, err := filepath.Glob(filepath.Join(root, "*.ipynb"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := nbfile.Read(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// replace starts the other server in the place of the killed one.
func (s *site) replace() {
	s.server, s.next = s.next, nil
	s.line.lead(s.server)
}

func (s *site) signal(sig syscall.Signal) {
	if err := syscall.Kill(s.server.PID, sig); err != nil {
		s.t.Error(err)
	}
}

// rest sends a request whose answer has no body to the server.
func (s *site) rest(method, path string) error {
	_, err := s.get(method, path, nil)
	return err
}

func (s *site) get(method, path string, out any) (status int, err error) {
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "token "+s.server.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return answer.StatusCode, fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	if out == nil {
		return answer.StatusCode, nil
	}
	return answer.StatusCode, json.NewDecoder(answer.Body).Decode(out)
}

func (s *site) kernels() (ids []string, err error) {
	var all []struct {
		ID string `json:"id"`
	}
	_, err = s.get(http.MethodGet, "/api/kernels", &all)
	for _, k := range all {
		ids = append(ids, k.ID)
	}
	return ids, err
}

func (s *site) eachKernel(f func(id string) error) {
	ids, err := s.kernels()
	for _, id := range ids {
		err = errors.Join(err, f(id))
	}
	must.NoError(s.t, err)
	test.SliceNotEmpty(s.t, ids)
}

func (s *site) awaitNoKernel() {
	if err := poll.Until(s.t.Context(), "the kernels to be culled", func(context.Context) error {
		ids, err := s.kernels()
		if err == nil && len(ids) > 0 {
			return fmt.Errorf("%d are left", len(ids))
		}
		return err
	}); err != nil {
		s.t.Error(err)
	}
}

// killKernels kills the processes of all kernels.
func (s *site) killKernels() {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.t.Error(err)
	}
	killed := 0
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state parent …
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		fields := strings.Fields(string(rest))
		line, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if err != nil || len(fields) < 2 || fields[1] != strconv.Itoa(s.server.PID) || !bytes.Contains(line, []byte("ipykernel")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			s.t.Error(err)
			continue
		}
		s.server.KillProcess(s.t, pid)
		killed++
	}
	if killed == 0 {
		s.t.Error("no kernel was found")
	}
}
