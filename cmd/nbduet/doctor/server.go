package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"
)

// apart is the greatest difference allowed between two clocks, because answers give times in minutes.
const apart = time.Minute

// findServer finds the server and reports whether it accepts the token.
func findServer(ctx context.Context, x *examination) bool {
	if err := x.Documents.Find(ctx); err != nil {
		x.wrong("server", err)
		return false
	}
	if _, err := x.Documents.Health.Version(ctx); err != nil {
		x.wrong("server", err)
		return false
	}
	where := x.Documents.BaseURL()
	if x.root = x.Root(ctx, where); x.root != "" {
		where += ", folder " + x.root
	}
	x.fine("server", "%s", where)
	if _, err := x.Documents.Health.Status(ctx); err != nil {
		x.wrong("token", err)
		return false
	}
	x.fine("token", "the server accepts it")
	return x.Runtime == x.Documents || findKernels(ctx, x)
}

// findKernels is findServer for a server that has only the kernels.
func findKernels(ctx context.Context, x *examination) bool {
	err := x.Runtime.Find(ctx)
	if err == nil {
		_, err = x.Runtime.Health.Status(ctx)
	}
	if err != nil {
		x.wrong("kernels", err)
		return false
	}
	x.fine("kernels", "%s accepts its token", x.Runtime.BaseURL())
	return true
}

// readVersions reports the versions of the server's parts.
func readVersions(ctx context.Context, x *examination) {
	v, err := x.Documents.Health.Versions(ctx)
	if err != nil {
		x.wrong("versions", err)
		return
	}
	parts := [][2]string{{"JupyterLab", v.Lab}, {"jupyter-collaboration", v.Collaboration}, {"Jupyter Server", v.Server}}
	known := lo.FilterMap(parts, func(part [2]string, _ int) (string, bool) { return part[0] + " " + part[1], part[1] != "" })
	x.fine("versions", "%s", strings.Join(known, ", "))
	switch program, _, _ := strings.Cut(x.Version, " "); {
	case v.Lab == "":
	case v.Duet == program:
		x.fine("tab", "JupyterLab has the extension of this version")
	case v.Duet == "":
		x.note(Check{
			Name: "tab", Result: Note, Says: "JupyterLab has no extension of nbduet, which shows agents and has a Stop button",
			Fix: "pip install nbduet-jupyter where JupyterLab is installed, or start it with nbduet up",
		})
	default:
		x.note(Check{
			Name: "tab", Result: Note, Says: fmt.Sprintf("JupyterLab has the extension of nbduet %s; this is %s", v.Duet, program),
			Fix: "pip install --upgrade 'nbduet[jupyter]' where JupyterLab is installed",
		})
	}
}

// compareClocks compares the server's clock with this machine's.
func compareClocks(ctx context.Context, x *examination) {
	began := time.Now()
	there, err := x.Documents.Health.Clock(ctx)
	switch off := there.Sub(began).Abs(); {
	case err != nil:
		x.wrong("clocks", err)
	case there.IsZero():
		x.note(Check{Name: "clocks", Result: Note, Says: "the server's answer has no time"})
	case off > apart:
		x.note(Check{
			Name: "clocks", Result: Wrong, Says: fmt.Sprintf("the server's clock and this machine's are %s apart", off.Round(time.Second)),
			Fix: "set both clocks by NTP: logins and reported times depend on them",
		})
	default:
		x.fine("clocks", "agree")
	}
}
