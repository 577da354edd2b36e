package seeds

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/e2e/agent"
)

// Seed 003: code.
func checkCode(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	run := func(code string) answer { return p.call("execute_code", dict{"session_id": session, "code": code}) }
	hello := run("print('hello')").JSON
	c.row("003.029", text(hello, "stdout") == "hello\n", hello)
	c.row("003.030", at(hello, "success") == true && has(hello, "stdout", "stderr", "result", "images", "execution_time_ms"), hello)
	both := run("import sys\nprint('to stderr', file=sys.stderr)\n6 * 7").JSON
	c.row("003.031", text(both, "stderr") == "to stderr\n" && strings.Contains(fmt.Sprint(at(both, "result")), "42"), both)
	failed := run("1/0").JSON
	c.row("003.032", at(failed, "success") == false && text(failed, "error_type") == "ZeroDivisionError" && text(failed, "error_message") == "division by zero" && strings.Contains(text(failed, "traceback"), "ZeroDivisionError"), failed)
	late := p.call("execute_code", dict{"session_id": session, "code": "import time\ntime.sleep(60)", "timeout": 0.5})
	c.row("003.033", at(late.JSON, "success") == false && text(late.JSON, "error_type") == "Timeout" && strings.Contains(text(late.JSON, "error_message"), "500ms"), late.Raw)
	p.good("interrupt_execution", dict{"session_id": session})
	path := c.Server.Notebook(c, "'zero'", "'one'")
	c.row("003.036", strings.Contains(p.good("execute_nb_cells", dict{"path": path, "ranges": []dict{{"start": 1, "end": 2}}}).Raw, "'one'"))
	c.row("003.037", strings.Contains(p.good("execute_cell", dict{"session_id": text(p.good("session_create", dict{"notebook_path": path}).JSON, "session_id"), "cell_id": "c0"}).Raw, "'zero'"))
	big := p.call("execute_code", dict{"session_id": session, "code": "print('x' * 2500000)", "maxOutputSize": 100000})
	c.row("003.086", len(big.Raw) <= 1_000_000 && strings.Contains(big.Raw, "xxx"), big.Raw)
	gone := run("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
	c.row("003.093", at(gone.JSON, "success") == false && text(gone.JSON, "error_type") == "KernelLost" && strings.Contains(text(gone.JSON, "error_message"), "process ended"), gone.Raw)
	c.row("003.094", eventually(func() bool { return text(run("print('again')").JSON, "stdout") == "again\n" }))
	c.row("003.098", p.logs(`level=INFO.* tool=execute_code .*run=`), p.Log())
	c.row("003.099", !strings.Contains(p.Log(), "print('hello')"))
	open := start(c, c.Server, "--log-code")
	open.good("execute_code", dict{"session_id": text(open.good("session_create", nil).JSON, "session_id"), "code": "print('logged')"})
	c.row("003.100", open.logs(regexp.QuoteMeta("print('logged')")), open.Log())
	quiet := startWith(c, agent.Options{Env: reaching(c.Server.URL, c.Server.Token, "LOG_LEVEL=error")})
	quiet.good("list_nbs", nil)
	c.row("003.102", quiet.Log() == "", quiet.Log())
	c.row("003.103", text(quiet.good("get_base_url", nil).JSON, "base_url") == c.Server.URL)
	lost := nowhere(c).call("session_create", nil)
	c.row("003.105", lost.Failed && strings.Contains(lost.Raw, "127.0.0.1:9"), lost.Raw)
}
