package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/inspect"
)

func (k testKernel) Payload(ctx context.Context, code string) ([]map[string]any, error) {
	reply, err := k.conn.Execute(ctx, kernel.Request{Code: code, Silent: true}, nil)
	if err == nil && reply.Status != "ok" {
		err = errors.New("the kernel answers " + reply.Status)
	}
	return reply.Payload, err
}

// TestR has parts, so that one server with R and one kernel are started: both take seconds.
func TestR(t *testing.T) {
	t.Parallel()
	s := jupytertest.Start(t, jupytertest.WithoutCollaboration(), jupytertest.WithR(t))
	k := kernelOf(t, s, "ir")
	for _, part := range []struct {
		name string
		test func(*testing.T, testKernel)
	}{
		{"trace", rTrace}, {"values", rValues}, {"frames", rFrames}, {"paths", rPaths}, {"hostile", rHostile}, {"large", rLarge}, {"shadowed", rShadowed},
	} {
		t.Run(part.name, func(t *testing.T) {
			k.t = t
			part.test(t, k)
			k.define("rm(list = ls(all.names = TRUE))")
		})
	}
}

// count returns how many executions the kernel has counted, after silent code.
func (k testKernel) count(code string) int {
	k.t.Helper()
	reply, err := k.conn.Execute(k.t.Context(), kernel.Request{Code: code, Silent: true}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	return reply.Count
}

// rSays returns the output of code.
func (k testKernel) rSays(code string) string {
	k.t.Helper()
	var out strings.Builder
	reply, err := k.conn.Execute(k.t.Context(), kernel.Request{Code: code}, func(ev kernel.Event) {
		if s, ok := ev.(kernel.Stream); ok {
			out.WriteString(s.Text)
		}
	})
	must.NoError(k.t, err, must.Sprint(code))
	must.Nil(k.t, reply.Error, must.Sprint(code))
	return strings.TrimSpace(out.String())
}

// refused reads a value that cannot be shown.
func refused(t *testing.T, k testKernel, name, code string) {
	t.Helper()
	var r *inspect.Refusal
	_, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{})
	must.True(t, errors.As(err, &r), must.Sprint(name))
	test.Eq(t, code, r.Code, test.Sprint(name))
	test.NotEq(t, "", r.Message, test.Sprint(name))
}

// The traces that an inspection could leave in the kernel, except the count of executions.
const rSnapshot = `cat(deparse(list(ls(all.names = TRUE), search(), sort(loadedNamespaces()), options()[names(options()) != "try.outFile"], names(warnings()), .Random.seed,
  get0(".Last.value", baseenv()), get0(".Traceback", baseenv()), dev.list(), sys.on.exit(), getwd(), sink.number(), Sys.getenv(), geterrmessage(),
  sapply(as.list(IRkernel:::runtime_env), class), nrow(showConnections()), ls(baseenv(), all.names = TRUE), parent.frame())), sep = "\n")`

func rTrace(t *testing.T, k testKernel) {
	k.define("df <- data.frame(a = c(1, NA), d = as.Date('2024-01-01') + 0:1); set.seed(1); x <- 1; f <- function() 1")
	k.define("42")
	if e := k.run("stop('no')"); e == nil {
		t.Fatal("no error")
	}
	count := func() int { return k.count("0") }
	k.rSays(rSnapshot) // the first use of a function may load something
	before, n := k.rSays(rSnapshot), count()
	k.variables(inspect.ListOptions{Everything: true})
	k.value("x")
	k.value("f")
	k.frame("df", inspect.TableOptions{})
	refused(t, k, "no.such", "variable_not_found")
	if after := k.rSays(rSnapshot); after != before || !strings.Contains(before, `"df"`) {
		a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("before: %s\nafter: %s", a[i], b[i])
			}
		}
		t.Errorf("%d lines, then %d", len(a), len(b))
	}
	if after := count(); after != n {
		t.Errorf("%d executions are counted, not %d", after, n)
	}
	// The user's objects are released.
	k.define("e <- new.env(); gone <- FALSE; reg.finalizer(e, function(e) gone <<- TRUE)")
	k.value("e")
	k.variables(inspect.ListOptions{})
	k.define("rm(e); invisible(gc())")
	if v := k.value("gone"); string(v.Value) != "true" {
		t.Errorf("%s", jsonOf(t, v))
	}
}

func rValues(t *testing.T, k testKernel) {
	k.define(`a <- 42L; b <- 1e300; c <- NaN; d <- -Inf; e <- TRUE; f <- NULL; g <- NA; h <- "\u00e9\"\\\n\u2028"; i <- 0.1 + 0.2
j <- strrep("x", 5000); k <- c(x = 1, y = NA); l <- as.list(1:1000); m <- list(a = 1, list("b", NULL)); n <- factor(c("u", NA)); o <- as.Date("2024-05-01")
p <- matrix(1:6, 2); q <- quote(a + b); r <- y ~ x; s <- 1i; u <- .POSIXct(0, tz = "UTC"); v <- "\xff\xfe"; w <- as.raw(255); x <- new.env(); x$y <- x
fn <- function(a) a + 1; ten <- array(0, c(2, 3, 4)); fit <- lm(dist ~ speed, cars); setClass("P", representation(n = "numeric")); s4 <- new("P", n = 5)
z <- structure(list(p = 1), class = "thing"); my.var_1 <- 5; .hidden <- 1; no <- character(); big <- 2^60; time <- as.difftime(5, units = "mins")
int64 <- structure(c(5e-324, -0), class = "integer64")
lt <- as.POSIXlt(u)`)
	for name, want := range map[string]string{
		"a": "42", "b": "1e300", "c": `"NaN"`, "d": `"-Inf"`, "e": "true", "f": "null", "g": "null", "h": `"é\"\\\n\u2028"`, "i": "0.30000000000000004",
		"k": `"c(x = 1, y = NA)"`, "m": `"list(a = 1, list(\"b\", NULL))"`, "n": `"factor(\"u\", NA)"`, "o": `"2024-05-01"`, "p": `"1, 3, 5\n2, 4, 6"`,
		"q": `"a + b"`, "r": `"y ~ x"`, "s": `"0+1i"`, "u": `"1970-01-01T00:00:00+0000"`, "v": `"<ff><fe>"`, "w": `"ff"`, "x": `"<environment: 1 name>"`,
		"fn": `"function (a) \na + 1"`, "s4": `"<S4 object of class P>"`, "z": `"list(p = 1)"`, "my.var_1": "5", "no": `"character()"`, "big": "1152921504606846976",
		"time": `"5 mins"`, ".hidden": "1", "x$y$y": `"<environment: 1 name>"`, "lt": `"1970-01-01T00:00:00+0000"`,
	} {
		v := k.value(name)
		test.EqOp(t, decoded(t, rawOf(want)), decoded(t, v.Value))
		test.Eq(t, name, v.Name)
		test.False(t, v.Truncated)
	}
	v := k.value("j")
	must.Eq(t, inspect.DefaultChars+len("…"), len(said(t, v.Value)))
	test.True(t, v.Truncated)
	test.Eq(t, "5000 characters", v.Size)
	v = k.value("l")
	test.Eq(t, "1000 items", v.Size)
	test.True(t, v.Truncated)
	test.StrHasSuffix(t, "100, … 900 more)", said(t, v.Value))
	v = k.value("fit")
	test.Eq(t, "lm", v.Type)
	must.SliceLen(t, 12, v.Attributes)
	test.Eq(t, `{"name":"coefficients","type":"numeric"}`, jsonOf(t, v.Attributes[0]))
	v = k.value("s4")
	test.Eq(t, ".GlobalEnv", v.Module)
	test.Eq(t, `[{"name":"n","type":"numeric"}]`, jsonOf(t, v.Attributes))
	l := k.variables(inspect.ListOptions{})
	got := map[string]string{}
	for _, v := range l.Variables {
		name := v.Name
		v.Name = ""
		got[name] = jsonOf(t, v)
	}
	for name, want := range map[string]string{
		"a": `{"name":"","type":"integer","value":42}`, "e": `{"name":"","type":"logical","value":true}`, "f": `{"name":"","type":"NULL","value":null}`,
		"k": `{"name":"","type":"numeric","size":"2 items"}`, "p": `{"name":"","type":"matrix","size":"2 × 3 integer"}`, "x": `{"name":"","type":"environment","size":"1 name"}`,
		"ten": `{"name":"","type":"array","size":"2 × 3 × 4 double"}`, "n": `{"name":"","type":"factor","size":"2 items"}`, "s4": `{"name":"","type":"P","size":"1 slot"}`,
		"j": `{"name":"","type":"character","size":"5000 characters","value":"` + strings.Repeat("x", 100) + `…"}`,
	} {
		if got[name] != want {
			t.Errorf("%s: %s, not %s", name, got[name], want)
		}
	}
	test.Eq(t, "", got["fn"])
	test.Eq(t, "", got[".hidden"])
	test.Eq(t, len(got), l.Total)
	if all := k.variables(inspect.ListOptions{Everything: true}); all.Total != l.Total+1 {
		t.Errorf("%d with functions, %d without", all.Total, l.Total)
	}
	// Values without items are counted in bytes, as R does it.
	for _, name := range []string{"fn", "q", "r"} {
		if v, want := k.value(name), k.rSays("cat(object.size("+name+"), 'bytes')"); v.Size != want {
			t.Errorf("%s has %q, of R %q", name, v.Size, want)
		}
	}
	part := k.variables(inspect.ListOptions{Offset: 1, Limit: 2})
	test.Eq(t, l.Total, part.Total)
	must.SliceLen(t, 2, part.Variables)
	test.Eq(t, "b", part.Variables[0].Name)
}

func rFrames(t *testing.T, k testKernel) {
	k.define(`df <- data.frame(n = c(1.5, NA, Inf), i = c(1L, NA, 3L), f = factor(c("x", "y", "x")), d = as.Date("2024-01-01") + c(0, NA, 2),
  t = .POSIXct(c(0, NA, 60), tz = "UTC"), s = c("\u00e9\"\n", NA, strrep("b", 1000)), b = c(TRUE, NA, FALSE), z = c(1i, 2, NA), dt = as.difftime(1:3, units = "hours"))
df$l <- list(1:2, NULL, "x"); df$m <- matrix(1:6, 3); df$in_df <- data.frame(p = 1:3, q = 4:6); df$big <- structure(c(5e-324, 5e-324, 1e-323), class = "integer64")
dup <- data.frame(a = 1, a = 2, "a #2" = 3, check.names = FALSE); names(dup)[3] <- NA
empty <- data.frame(); none <- data.frame(x = numeric(0)); named <- data.frame(v = 1:2, row.names = c("one", "two"))
broken <- structure(list(a = 1:3, b = 1:5, c = NULL, e = new.env()), class = "data.frame", row.names = 1:4)
tib <- structure(data.frame(x = 1:4), class = c("tbl_df", "tbl", "data.frame"))
vec <- 1:3`)
	f := k.frame("df", inspect.TableOptions{HeadRows: 2})
	test.Eq(t, "[3,13]", jsonOf(t, f.Shape))
	test.SliceEqOp(t, strings.Fields("n i f d t s b z dt l m in_df big"), f.Columns)
	test.Eq(t, "data.frame", f.Type)
	must.Nil(t, f.Index)
	must.NotNil(t, f.Memory)
	test.GreaterEq(t, 1000, *f.Memory)
	equal(t, "dtypes", f.DTypes, `{"n":"numeric","i":"integer","f":"factor","d":"Date","t":"POSIXct","s":"character","b":"logical","z":"complex","dt":"difftime","l":"list","m":"matrix","in_df":"data.frame","big":"integer64"}`)
	equal(t, "head", f.Head, `[{"n":1.5,"i":1,"f":"x","d":"2024-01-01","t":"1970-01-01T00:00:00+0000","s":"é\"\n","b":true,"z":"0+1i","dt":"1 hours","l":"c(1, 2)","m":"1, 4","in_df":"<data.frame of 2 columns>","big":1},`+
		`{"n":null,"i":null,"f":"y","d":null,"t":null,"s":null,"b":null,"z":"2+0i","dt":"2 hours","l":null,"m":"2, 5","in_df":"<data.frame of 2 columns>","big":1}]`)
	equal(t, "missing", f.Missing, `{"n":1,"i":1,"f":0,"d":1,"t":1,"s":1,"b":1,"z":1,"dt":0,"l":1,"big":0}`)
	var figures map[string]json.RawMessage
	must.NoError(t, json.Unmarshal(f.Figures, &figures))
	for name, want := range map[string]string{
		"n": `{"count":2,"mean":"Inf","std":null,"min":1.5,"25%":"Inf","50%":"Inf","75%":"Inf","max":"Inf"}`,
		"i": `{"count":2,"mean":2,"std":1.4142135623730951,"min":1,"25%":1.5,"50%":2,"75%":2.5,"max":3}`,
		"f": `{"count":3,"unique":2,"top":"x","freq":2}`, "d": `{"count":2,"min":"2024-01-01","max":"2024-01-03"}`,
		"t": `{"count":2,"min":"1970-01-01T00:00:00+0000","max":"1970-01-01T00:01:00+0000"}`, "b": `{"count":2,"unique":2,"top":true,"freq":1}`,
		"dt": `{"count":3,"min":"1 hours","max":"3 hours"}`, "l": `{"count":2}`,
	} {
		equal(t, name, figures[name], want)
	}
	f = k.frame("dup", inspect.TableOptions{})
	equal(t, "head", f.Head, `[{"a":1,"a #2":2,"NA":3}]`)
	if len(f.Notes) == 0 {
		t.Errorf("%s", jsonOf(t, f))
	}
	f = k.frame("empty", inspect.TableOptions{})
	test.Eq(t, "[0,0]", jsonOf(t, f.Shape))
	must.NotNil(t, f.Columns)
	test.Eq(t, "{}", string(f.DTypes))
	test.Eq(t, "[]", string(f.Head))
	f = k.frame("none", inspect.TableOptions{})
	equal(t, "none", f.Figures, `{"x":{"count":0}}`)
	f = k.frame("named", inspect.TableOptions{})
	equal(t, "index", f.Index, `{"type":"character","names":[null]}`)
	equal(t, "labels", f.HeadIdx, `["one","two"]`)
	f = k.frame("broken", inspect.TableOptions{})
	test.Eq(t, "[4,4]", jsonOf(t, f.Shape))
	must.Nil(t, f.Index)
	must.SliceNotEmpty(t, f.Notes)
	test.StrContains(t, string(f.Head), `"b":4,"c":null,"e":null`)
	f = k.frame("tib", inspect.TableOptions{NoHead: true, MaxColumns: 1})
	test.Eq(t, "tbl_df", f.Type)
	test.Nil(t, f.Head)
	f = k.frame("tib$x", inspect.TableOptions{})
	equal(t, "column", f.Head, `[{"x":1},{"x":2},{"x":3},{"x":4}]`)
	equal(t, "column", f.Figures, `{"x":{"count":4,"mean":2.5,"std":1.2909944487358056,"min":1,"25%":1.75,"50%":2.5,"75%":3.25,"max":4}}`)
	v := k.value("df")
	must.NotNil(t, v.Frame)
	must.Nil(t, v.Value)
	test.Eq(t, "3 rows × 13 cols", v.Size)
	var r *inspect.Refusal
	_, err := inspect.DataFrame(t.Context(), k, "vec", inspect.TableOptions{})
	must.True(t, errors.As(err, &r))
	test.Eq(t, "not_a_dataframe", r.Code)
	test.StrContains(t, r.Message, "integer")
}
