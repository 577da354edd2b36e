package inspect_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// Paths read stored values; no part of a name is run.
func rPaths(t *testing.T, k testKernel) {
	k.define(`l <- list(a = list(b = 5), ab = 2); e <- new.env(); e$x <- 7; setClass("Q", representation(s = "list")); q <- new("Q", s = list(deep = "yes"))
makeActiveBinding("act", function() ran <<- TRUE, e); delayedAssign("lazy", ran <<- TRUE, assign.env = e); df <- data.frame(col.one = 1:2)
"$.odd" <- function(x, name) { ran <<- TRUE; 1 }; "[[.odd" <- "$.odd"; names.odd <- function(x) { ran <<- TRUE; "a" }; o <- structure(list(a = 3), class = "odd")`)
	for name, want := range map[string]string{"l$a$b": "5", "e$x": "7", "q@s$deep": `"yes"`, "q$s$deep": `"yes"`, "o$a": "3", "df$col.one": `"c(1, 2)"`} {
		if v := k.value(name); string(v.Value) != want {
			t.Errorf("%s: %s, not %s", name, jsonOf(t, v), want)
		}
	}
	for name, code := range map[string]string{
		"l$b": "variable_not_found", "l$a$b$c": "variable_not_found", "nope$x": "variable_not_found", "l@a": "variable_not_found", "l$A": "variable_not_found",
		"e$act": "not_readable", "e$lazy": "not_readable", "e$none": "variable_not_found", "mean": "variable_not_found", "q@class": "variable_not_found",
	} {
		refused(t, k, name, code)
	}
	for _, name := range []string{"l[['a']]", "system('true')", "ran<-1", "l$", "$l", "l$$a", "`l`", "l$a;ran<-1", "l a", "2x", "_x", "l\x00", strings.Repeat("a", 501)} {
		var e *inspect.NameError
		if _, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{}); !errors.As(err, &e) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := k.rSays("cat(exists('ran'))"); got != "FALSE" {
		t.Errorf("something was run: %s", got)
	}
}

// No user method, promise or binding is run, and their content cannot break an inspection.
func rHostile(t *testing.T, k testKernel) {
	k.define(`ran <- character()
for (g in c("print", "format", "toString", "str", "length", "names", "dim", "as.character", "summary", "[", "[[", "$", "is.na", "unique", "as.list", "levels",
  "nchar", "anyNA", "xtfrm", "as.vector", "mean", "row.names", "dimnames", "rep", "sort", "c", "as.double", "lengths")) {
  local({ n <- g; assign(paste0(n, ".bad"), function(...) { ran <<- c(ran, n); Sys.sleep(60); stop("no luck") }, envir = globalenv()) })
}
bad_list <- structure(list(a = 1, b = structure(2, class = "bad")), class = "bad"); bad_number <- structure(1:3, class = "bad"); bad_text <- structure("t", class = "bad")
bad_frame <- structure(list(x = structure(1:2, class = "bad"), y = structure(list(1, 2), class = "bad")), class = c("bad", "data.frame"), row.names = c(NA, -2L))
bad_factor <- structure(1:2, class = "factor"); bad_date <- structure("x", class = "Date"); bad_time <- structure(list(), class = c("POSIXlt", "POSIXt")); bad_class <- 1; class(bad_class) <- NA_character_
bad_lt <- structure(1, class = "POSIXlt"); bad_lt2 <- structure(list(1, "x"), class = c("POSIXlt", "POSIXt"))
setClass("Shown", representation(n = "numeric")); setMethod("show", "Shown", function(object) { ran <<- "show"; stop() }); setMethod("length", "Shown", function(x) { ran <<- "length"; 1L })
shown <- new("Shown", n = 1)
makeActiveBinding("active", function() { ran <<- "active"; Sys.sleep(60) }, globalenv()); delayedAssign("lazy", { ran <<- "lazy"; Sys.sleep(60) })
nothing <- quote(expr = ); deep <- list(); for (n in 1:5000) deep <- list(deep); call <- do.call("call", list("f", runif(1e6))); cycle <- new.env(); cycle$me <- cycle
heavy <- as.call(c(quote(f), as.list(as.character(1:1e6)))); nested <- quote(x); for (n in 1:1000) nested <- call("f", nested)
assign("a b\n\"c\\", 1); assign(strrep("\u00e9", 1000), 2); forced <- 1; delayedAssign("forced", 5); forced`)
	l := k.variables(inspect.ListOptions{})
	got := map[string]inspect.Variable{}
	for _, v := range l.Variables {
		got[v.Name] = v
	}
	test.Eq(t, "active binding", got["active"].Type)
	test.Eq(t, "promise", got["lazy"].Type)
	test.Eq(t, "bad", got["bad_list"].Type)
	test.Eq(t, "2 items", got["bad_list"].Size)
	test.Eq(t, "5", string(got["forced"].Value))
	if v := k.value("call"); v.Size == "" {
		t.Errorf("%.200s", jsonOf(t, v))
	}
	if v := k.value("heavy"); v.Size != "more than 80000 bytes" {
		t.Errorf("%.200s", jsonOf(t, v))
	}
	if v := k.value("nested"); v.Size != "" {
		t.Errorf("%.200s", jsonOf(t, v))
	}
	v := got["a b\n\"c\\"]
	test.Eq(t, "1", string(v.Value))
	test.MapLen(t, l.Total, got)
	for name := range got {
		if name == "active" || name == "lazy" {
			refused(t, k, name, "not_readable")
			continue
		}
		v, err := inspect.Value(t.Context(), k, name, inspect.DetailOptions{MaxChars: 500})
		var wrong *inspect.NameError
		if err != nil && !errors.As(err, &wrong) && name != "nothing" {
			t.Errorf("%s: %v", name, err)
		}
		if b := jsonOf(t, v); len(b) > 6_000 {
			t.Errorf("%s: %d bytes", name, len(b))
		}
	}
	f := k.frame("bad_frame", inspect.TableOptions{})
	equal(t, "head", f.Head, `[{"x":1,"y":1},{"x":2,"y":2}]`)
	if v := k.value("bad_list"); string(v.Value) != `"list(a = 1, b = 2)"` {
		t.Errorf("%s", jsonOf(t, v))
	}
	if got := k.rSays("cat('ran:', ran)"); got != "ran:" {
		t.Errorf("%s", got)
	}
}

func rLarge(t *testing.T, k testKernel) {
	k.define(`for (i in 1:10000) assign(sprintf("v%05d", i), i); rm(i)
text <- strrep("\u00e9x", 2^24); n <- 1e7
big <- data.frame(i = seq_len(n), x = as.double(seq_len(n)), s = rep("same", n), d = structure(as.double(seq_len(n)), class = "Date"))
wide <- as.data.frame(matrix(0, 200, 5000)); names(wide) <- paste0(strrep("\u3042", 300), 1:5000)
long <- data.frame(a = rep(strrep("\u00e9", 1e5), 200)); for (n in 1:150) long[[paste0("c", n)]] <- long$a`)
	l := k.variables(inspect.ListOptions{Offset: 9_990})
	test.GreaterEq(t, 10_005, l.Total)
	test.Eq(t, "wide", l.Variables[len(l.Variables)-1].Name)
	v := k.value("text")
	test.True(t, v.Truncated)
	must.LessEq(t, 4_000, len(v.Value))
	test.Eq(t, "50331648 bytes", v.Size)
	f := k.frame("big", inspect.TableOptions{})
	test.Eq(t, "[10000000,4]", jsonOf(t, f.Shape))
	must.SliceLen(t, 2, f.Notes)
	test.GreaterEq(t, 2e8, *f.Memory)
	test.StrContains(t, string(f.Figures), `"mean":5000000.5`)
	test.StrContains(t, string(f.Missing), `"s":0`)
	for _, name := range []string{"wide", "long"} {
		f = k.frame(name, inspect.TableOptions{HeadRows: inspect.MaxHeadRows, MaxColumns: inspect.MaxColumns})
		b := jsonOf(t, f)
		must.LessEq(t, 450_000, len(b), must.Sprint(name))
		must.SliceNotEmpty(t, f.Notes, must.Sprint(name))
		test.GreaterEq(t, 10, len(f.Head), test.Sprint(name))
	}
}

// People's redefinitions do not mislead an inspection.
func rShadowed(t *testing.T, k testKernel) {
	k.define(`x <- c(1, 2); df <- data.frame(a = x)
no <- function(...) stop("not this one"); for (n in c("list", "eval", "parse", "get", "ls", "class", "length", "vapply", "lapply", "paste", "structure", "invisible", "answer", "question", "inspection",
  "format.Date", "print.default", "toJSON", "is.na", "cut_text", "find", "list2env", "names", "attr", "local", "if", "function", "T", "F", "c", "(")) assign(n, no)
rm(n)`)
	if v := k.value("x"); string(v.Value) != `"c(1, 2)"` {
		t.Errorf("%s", jsonOf(t, v))
	}
	if l := k.variables(inspect.ListOptions{}); l.Total != 2 {
		t.Errorf("%s", jsonOf(t, l))
	}
	k.frame("df", inspect.TableOptions{})
	k.define("rm(list = base::ls())")
}
