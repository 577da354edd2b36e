package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// built builds the program with a plain go build, once.
var built = sync.OnceValues(func() (file string, err error) {
	file = filepath.Join(os.Getenv("XDG_STATE_HOME"), "built") // TestMain removes the folder
	if b, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, b)
	}
	return file, nil
})

// process starts the program in its own process, without the race detector, which never releases its memory.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader, log *locked) {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), file, append([]string{"--jupyter-url=http://127.0.0.1:9", "--token=any-t0ken"}, args...)...)
	log = &locked{}
	cmd.Stderr = log
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Process.Signal(os.Interrupt); err == nil {
			_ = cmd.Wait() // it may have ended already
		}
	})
	return cmd, in, bufio.NewReader(pipe), log
}

// resident returns a process's resident memory in bytes.
func resident(t *testing.T, cmd *exec.Cmd) int { return sizeOf(t, cmd, "VmRSS:") }

// sizeOf returns one of the sizes that Linux reports for a process, in bytes.
func sizeOf(t *testing.T, cmd *exec.Cmd, name string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(b), name)
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// The memory used by long arguments is released, even if nothing else happens.
func TestGivesMemoryBack(t *testing.T) {
	clean(t)
	falls := func(t *testing.T, cmd *exec.Cmd, before int) {
		t.Helper()
		peak := sizeOf(t, cmd, "VmHWM:")
		if peak < before+(40<<20) {
			t.Fatalf("it never took much: %d MB, %d MB before", peak>>20, before>>20)
		}
		const most = 32 << 20
		for late := time.After(10 * time.Second); ; { // this takes seconds
			if resident(t, cmd) < before+most {
				return
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-late:
				t.Fatalf("%d MB after the call, %d MB before it, %d MB at most", resident(t, cmd)>>20, before>>20, peak>>20)
			}
		}
	}
	call := func(bytes int) string {
		return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_nbs","arguments":{"path":"` + strings.Repeat("x", bytes) + `"}}}` + "\n"
	}
	t.Run("stdio", func(t *testing.T) {
		cmd, in, out, _ := process(t)
		ask := func(text string) {
			t.Helper()
			if _, err := io.WriteString(in, text); err != nil {
				t.Fatal(err)
			}
			line, err := out.ReadString('\n')
			must.NoError(t, err)
			must.StrContains(t, line, `"result"`)
		}
		ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
		ask(call(10))
		before := resident(t, cmd)
		ask(call(25 << 20))
		falls(t, cmd, before)
	})
	t.Run("HTTP", func(t *testing.T) {
		t.Setenv("NBDUET_AUTH_TOKEN", "s3cret-t0ken")
		cmd, base, client := httpProcess(t)
		ask := func(size int) {
			t.Helper()
			if code, text := askLong(t, client, base, strings.Repeat("x", size)); code != http.StatusOK {
				t.Fatalf("%d %.1000s", code, text)
			}
		}
		ask(10)
		before := resident(t, cmd)
		for range 2 {
			ask(15 << 20)
		}
		falls(t, cmd, before)
	})
}

// Many long calls at once need no more memory than a few of them.
func TestManyLongCallsAtOnce(t *testing.T) {
	clean(t)
	size, most, calls := 6<<20, 200<<20, 14 // more than most in total if all were served at once
	if jupytertest.Real() {
		size, most, calls = 15<<20, 400<<20, 40
	}
	long := strings.Repeat("x", size)
	t.Run("stdio", func(t *testing.T) {
		cmd, in, out, _ := process(t)
		begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() {
			for i := -1; i < calls; i++ {
				text := begin
				if i >= 0 {
					text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_nbs","arguments":{"path":"%s"}}}`+"\n", i+2, long)
				}
				if _, err := io.WriteString(in, text); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for range calls + 1 {
			line, err := out.ReadString('\n')
			must.NoError(t, err)
			must.StrContains(t, line, `"result"`)
		}
		peak := sizeOf(t, cmd, "VmHWM:")
		t.Logf("%d MB at the peak", peak>>20)
		if peak > most {
			t.Errorf("%d MB at the peak, %d MB at most", peak>>20, most>>20)
		}
	})
	t.Run("HTTP", func(t *testing.T) {
		t.Setenv("NBDUET_AUTH_TOKEN", "s3cret-t0ken")
		cmd, base, client := httpProcess(t)
		var asking sync.WaitGroup
		for range calls {
			asking.Go(func() {
				if code, text := askLong(t, client, base, long); code != http.StatusOK && code != http.StatusTooManyRequests {
					t.Errorf("%d %.1000s", code, text)
				}
			})
		}
		asking.Wait()
		peak := sizeOf(t, cmd, "VmHWM:")
		t.Logf("%d MB at the peak", peak>>20)
		if peak > most {
			t.Errorf("%d MB at the peak, %d MB at most", peak>>20, most>>20)
		}
	})
}

// httpProcess starts the program as a process that serves HTTP.
func httpProcess(t *testing.T) (cmd *exec.Cmd, base string, client *http.Client) {
	t.Helper()
	cmd, _, _, log := process(t, "--transport=streamable-http", "--port=0")
	for late := time.Now().Add(time.Minute); base == "" && time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if _, after, ok := strings.Cut(log.String(), "serving MCP at "); ok && strings.Contains(after, "/mcp\n") {
			base, _, _ = strings.Cut(after, "/mcp\n")
		}
	}
	client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return cmd, base, client
}

// askLong calls a tool with a long argument.
func askLong(t *testing.T, client *http.Client, base, argument string) (code int, text string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/tools/call", strings.NewReader(`{"tool_name":"list_nbs","arguments":{"path":"`+argument+`"}}`))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Authorization", "Bearer s3cret-t0ken")
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}
