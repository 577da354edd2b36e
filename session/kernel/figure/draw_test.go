package figure_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel/figure"
)

// A pythonKernel evaluates expressions as IPython shows their values, each in its own process.
type pythonKernel struct {
	t       *testing.T
	modules string // a folder that is first among those of modules
	temp    string // where temporary files go
	asked   int
}

func (k *pythonKernel) Evaluate(ctx context.Context, code string, expressions map[string]string) (map[string]any, error) {
	k.asked++
	test.Eq(k.t, "", code)
	test.MapLen(k.t, 1, expressions)
	const run = `
import json, sys
sys.path.insert(0, sys.argv[1])
before = sorted(globals())
value = eval(sys.stdin.read())
print(json.dumps({"names": sorted(set(globals()) - {"before", "value", *before}), "modules": [m for m in sys.modules if m.split(".")[0] in ("plotly", "kaleido")],
    "data": value._repr_mimebundle_(include=None, exclude=None)}))`
	out := map[string]any{}
	for name, expression := range expressions {
		p := exec.CommandContext(ctx, "python3", "-c", run, k.modules)
		p.Stdin = strings.NewReader(expression)
		p.Env = append(os.Environ(), "TMPDIR="+k.temp)
		text, err := p.Output()
		if err != nil {
			return nil, err
		}
		var said struct {
			Names, Modules []string
			Data           map[string]any
		}
		if err := json.Unmarshal(text, &said); err != nil {
			return nil, err
		}
		if len(said.Names)+len(said.Modules) > 0 {
			k.t.Errorf("left: %v, %v", said.Names, said.Modules)
		}
		out[name] = map[string]any{"status": "ok", "data": said.Data}
	}
	left, err := os.ReadDir(k.temp)
	must.NoError(k.t, err, must.Sprint("files are left"))
	test.LessEq(k.t, 0, len(left), test.Sprint("files are left"))
	return out, nil
}
func (*pythonKernel) Status(context.Context) string            { return "idle" }
func (*pythonKernel) Language(context.Context) (string, error) { return "python", nil }

// standIn replaces plotly and kaleido by modules that behave as the title of a figure says.
func standIn(t *testing.T, without ...string) *pythonKernel {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plotly/__init__.py": "print('loaded')",
		"plotly/io.py": `
import subprocess, sys, time
class ChromeNotFoundError(Exception): pass
def to_image(fig, format, validate, width=None, height=None):
    assert format == "png" and not validate and set(fig) <= {"data", "layout"}, fig
    title = fig["layout"]["title"]
    if title == "slow":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open(__import__("tempfile").mkdtemp() + "/left", "w").close()
        time.sleep(600)
    if title == "no browser": raise ChromeNotFoundError("none")
    if title == "wrong": raise ValueError("wrong\n\x1b[31m" + "x" * 10_000)
    if title == "large": return b"x" * 3_000_000
    if title == "gone": sys.exit(3)
    print("noise")
    return f"{title} {width} {height}".encode()
`,
		"kaleido.py": "",
	} {
		if len(without) > 0 && strings.HasPrefix(name, without[0]) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &pythonKernel{t: t, modules: dir, temp: t.TempDir()}
}

func titled(title string) []byte {
	return fmt.Appendf(nil, `{"data": [], "layout": {"title": %q, "width": 5000, "height": 300}, "config": {}}`, title)
}

// whyNot returns why the picture is missing.
func whyNot(t *testing.T, err error) *figure.NoPicture {
	t.Helper()
	var no *figure.NoPicture
	if !errors.As(err, &no) {
		t.Fatalf("%v", err)
	}
	return no
}

// A separate process draws a figure, and its errors are reported.
func TestDraw(t *testing.T) {
	jupytertest.NeedsReal(t, "Python")
	k := standIn(t)
	png, err := figure.Draw(t.Context(), k, titled("Prices ‒ é"), time.Minute)
	text, _ := base64.StdEncoding.DecodeString(png)
	must.NoError(t, err)
	test.Eq(t, "Prices ‒ é 2000 None", string(text))
	for title, want := range map[string]string{
		"no browser": "plotly_get_chrome", "wrong": "it cannot be drawn: ValueError: wrong xxx", "large": "too large", "gone": "SystemExit: 3",
	} {
		_, err := figure.Draw(t.Context(), k, titled(title), time.Minute)
		no := whyNot(t, err)
		test.StrContains(t, no.Why, want)
		must.LessEq(t, 200, len(no.Why))
		test.NotEq(t, title == "no browser", no.Lasting)
	}
	for without, want := range map[string]string{"plotly": "pip install plotly", "kaleido": "pip install kaleido"} {
		if _, err := figure.Draw(t.Context(), standIn(t, without), titled("x"), time.Minute); whyNot(t, err).Why != want {
			t.Errorf("without %s: %v", without, err)
		}
	}
}

// A drawing that takes too long is ended, with all processes that it has started.
func TestDrawSlow(t *testing.T) {
	jupytertest.NeedsReal(t, "Python")
	_, err := figure.Draw(t.Context(), standIn(t), titled("slow"), 2*time.Second)
	no := whyNot(t, err)
	test.True(t, no.Lasting)
	test.Eq(t, "it was not drawn within 2 seconds", no.Why)
}

// A fakeKernel answers with its fields.
type fakeKernel struct {
	status, language string
	reply            any
	err              error
}

func (k fakeKernel) Evaluate(context.Context, string, map[string]string) (map[string]any, error) {
	return map[string]any{"draw": k.reply}, k.err
}
func (k fakeKernel) Status(context.Context) string            { return k.status }
func (k fakeKernel) Language(context.Context) (string, error) { return k.language, k.err }

// A kernel that is busy, of another language, or with strange answers draws nothing.
func TestDrawNothing(t *testing.T) {
	shown := func(text any) any {
		return map[string]any{"status": "ok", "data": map[string]any{"application/vnd.nbduet.picture+json": text}}
	}
	noise := make([]byte, 5_000_000)
	if _, err := rand.NewChaCha8([32]byte{}).Read(noise); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		kernel  fakeKernel
		figure  []byte
		want    string
		lasting bool
	}{
		"busy":           {fakeKernel{status: "busy"}, nil, "its kernel is busy", false},
		"another":        {fakeKernel{language: "julia"}, nil, "only Python kernels", true},
		"gone":           {fakeKernel{language: "python", err: errors.New("gone")}, nil, "does not answer", false},
		"an error":       {fakeKernel{language: "Python", reply: map[string]any{"status": "error", "ename": "NameError"}}, nil, "", false},
		"no object":      {fakeKernel{language: "python", reply: 1}, nil, "", false},
		"no JSON":        {fakeKernel{language: "python", reply: shown("{")}, nil, "", false},
		"another answer": {fakeKernel{language: "python", reply: shown("{}")}, nil, "", false},
		"large":          {fakeKernel{language: "python"}, noise, "too much data", true},
	} {
		_, err := figure.Draw(t.Context(), c.kernel, bytes.TrimSpace(c.figure), time.Second)
		no := whyNot(t, err)
		test.StrContains(t, no.Why, c.want, test.Sprint(what))
		test.False(t, c.want == "" && no.Why != "", test.Sprint(what))
		test.Eq(t, c.lasting, no.Lasting, test.Sprint(what))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := figure.Draw(ctx, fakeKernel{status: "busy"}, nil, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
