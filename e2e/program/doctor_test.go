package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/lab"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// doctorLimit is how long a run of doctor may take.
const doctorLimit = 30 * time.Second

// doctorCheck is one check in the report of `nbduet doctor --json`.
type doctorCheck struct {
	Check, Result, Says, Fix, Fault string
}

// doctor runs `nbduet doctor` as firstStart runs the program and returns its output and its exit status. It must leave
// nothing behind: not in its home, nor on the servers in on.
func doctor(t *testing.T, on []*lab.Lab, env []string, args ...string) (out []byte, status int) {
	t.Helper()
	home, program := t.TempDir(), kit.Binary(t)
	before := traces(t, on)
	ctx, stop := context.WithTimeout(t.Context(), doctorLimit)
	defer stop()
	cmd := exec.CommandContext(ctx, program, append([]string{"doctor"}, args...)...)
	cmd.Env = append(append(lab.CleanEnv(), "HOME="+home), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	must.False(t, err != nil && !errors.As(err, new(*exec.ExitError)), must.Sprint("doctor", out))
	must.NoError(t, ctx.Err(), must.Sprint("doctor", out))
	if said.Len() > 0 {
		t.Errorf("doctor writes on standard error: %s", &said)
	}
	if after := traces(t, on); !slices.Equal(before, after) {
		t.Errorf("doctor leaves something behind: %q became %q", before, after)
	}
	left, err := os.ReadDir(home)
	must.NoError(t, err)
	test.LessEq(t, 0, len(left))
	return out, cmd.ProcessState.ExitCode()
}

// traces are the files and kernels of servers.
func traces(t *testing.T, on []*lab.Lab) (found []string) {
	t.Helper()
	for _, l := range on {
		must.NoError(t, filepath.WalkDir(l.Root, func(path string, _ fs.DirEntry, err error) error {
			switch filepath.Base(path) {
			case ".jupyter": // in which collaboration keeps its sessions
				return fs.SkipDir
			case ".ipynb_checkpoints": // made and kept by the server at every deletion
			default:
				found = append(found, path)
			}
			return err
		}))
		var kernels []struct {
			ID string `json:"id"`
		}
		must.NoError(t, l.Get(t.Context(), "/api/kernels", &kernels))
		for _, k := range kernels {
			found = append(found, k.ID)
		}
	}
	slices.Sort(found)
	return found
}

// doctorSays checks that doctor finds only this fault, with the same sentence as a tool's answer.
func doctorSays(t *testing.T, on []*lab.Lab, env []string, f faults.Fault, args ...string) {
	t.Helper()
	out, status := doctor(t, on, env, append(args, "--json")...)
	var wrong []doctorCheck
	for _, c := range checks(t, out) {
		if c.Result == "wrong" {
			wrong = append(wrong, c)
		}
	}
	test.Eq(t, 1, status, test.Sprint(out))
	must.SliceLen(t, 1, wrong, must.Sprint(out))
	test.Eq(t, string(f.Code), wrong[0].Fault, test.Sprint(out))
	test.Eq(t, f.Error(), wrong[0].Says+"; "+wrong[0].Fix, test.Sprint(out))
}

// doctorIsFine checks that doctor finds no fault.
func doctorIsFine(t *testing.T, on []*lab.Lab, env []string, args ...string) {
	t.Helper()
	out, status := doctor(t, on, env, append(args, "--json")...)
	var fine []string
	for _, c := range checks(t, out) {
		switch c.Result {
		case "fine":
			fine = append(fine, c.Check)
		case "wrong", "left_out":
			t.Errorf("%+v", c)
		}
	}
	want := "server token versions clocks collaboration edit kernel state"
	test.Eq(t, 0, status, test.Sprint(out))
	test.Eq(t, want, strings.Join(fine, " "), test.Sprint(out))
}

// checks returns the checks of a report.
func checks(t *testing.T, report []byte) []doctorCheck {
	t.Helper()
	var r struct {
		OK     bool
		Checks []doctorCheck
	}
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	wrong := slices.ContainsFunc(r.Checks, func(c doctorCheck) bool { return c.Result == "wrong" })
	if r.OK == wrong {
		t.Errorf("the report is not of one mind: %s", report)
	}
	return r.Checks
}

// The output for people has the sentence on two lines.
func TestDoctorInWords(t *testing.T) {
	env := []string{"JUPYTER_SERVER_URL=" + kit.Jupyter(t).URL, "JUPYTER_TOKEN=wr0ng-t0ken"}
	out, status := doctor(t, []*lab.Lab{kit.Jupyter(t)}, env)
	f := faults.New(faults.WrongToken, faults.Values{Address: kit.Jupyter(t).URL})
	for _, want := range []string{"token          " + f.Wrong + "\n", "→ " + f.Fix + "\n"} {
		test.Eq(t, 1, status)
		test.StrContains(t, string(out), want)
	}
}

// Doctor finds no fault in a healthy server, by its address and by discovery.
func TestDoctorOfAHealthyServer(t *testing.T) {
	doctorIsFine(t, []*lab.Lab{kit.Jupyter(t)}, reachLab(kit.Jupyter(t)))
	doctorIsFine(t, []*lab.Lab{kit.Jupyter(t)}, []string{"JUPYTER_RUNTIME_DIR=" + kit.Jupyter(t).RuntimeDir})
}
