package seeds

import (
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Seed 002: sessions, which are the rooms that the program is in.
func checkSessions(c *check) {
	p := start(c, c.Server)
	folder := "sessions of " + c.Server.Name(c, "")
	path := c.Server.Write(c, folder+"/a.ipynb", c.Server.Read(c, c.Server.Notebook(c, "1", "2")))
	elsewhere := c.Server.Notebook(c, "1")
	p.good("get_nb_stat", dict{"path": path})
	p.good("get_nb_stat", dict{"path": elsewhere})
	all := p.good("query_nb_sessions", dict{"root_path": folder})
	c.row("002.132", text(all.JSON, "root_path") == folder && number(all.JSON, "total_sessions") == 1 && number(all.JSON, "active_sessions") == 1, all.Raw)
	one := at(all.JSON, "sessions.0")
	c.row("002.133", text(one, "path") == path && text(one, "session_id") != "" && text(one, "status") == "connected" && number(one, "cell_count") == 2 && text(one, "message") == "RTC session is active", one)
	session, err := sessiontest.Server(c.T, c.Server).Rooms.Session(c.Context(), jupyter.MustPath(path), "json", "notebook")
	c.row("002.134", err == nil && text(one, "file_id") == session.FileID && session.FileID != "", err, one)
	c.row("002.135", iso.MatchString(text(one, "last_activity")), one)
	c.row("002.136", len(list(all.JSON, "sessions")) == 1 && number(p.good("query_nb_sessions", nil).JSON, "total_sessions") == 2)
	end := p.good("end_nb_session", dict{"path": path})
	c.row("002.138", text(end.JSON, "path") == path && text(end.JSON, "status") == "disconnected" && text(end.JSON, "message") == "RTC session ended successfully", end.Raw)
	c.row("002.139", text(p.good("end_nb_session", dict{"path": folder + "/none.ipynb"}).JSON, "status") == "not_found")
	all = p.good("query_nb_sessions", dict{"root_path": folder})
	c.row("002.140", text(all.JSON, "sessions.0.status") == "disconnected" && strings.HasPrefix(text(all.JSON, "sessions.0.message"), "RTC session ended") && number(all.JSON, "total_sessions") == 1 && number(all.JSON, "active_sessions") == 0, all.Raw)
	p.good("get_nb_stat", dict{"path": path})
	again := p.good("query_nb_sessions", dict{"root_path": folder})
	c.row("002.141", text(again.JSON, "sessions.0.status") == "connected" && number(again.JSON, "active_sessions") == 1, again.Raw)

	doc := c.Server.Write(c, folder+"/a.md", "# a")
	p.good("get_document_content", dict{"path": doc})
	query := func(path string) answer { return p.good("query_document_session", dict{"path": path}) }
	got := query(doc)
	c.row("002.143", text(got.JSON, "path") == doc && text(got.JSON, "session_id") != "" && text(got.JSON, "file_id") != "" && text(got.JSON, "status") == "connected" && iso.MatchString(text(got.JSON, "last_activity")) && text(got.JSON, "message") == "RTC session is active", got.Raw)
	c.row("002.144", text(query(folder+"/none.md").JSON, "status") == "not_found")
	end = p.good("end_document_session", dict{"path": doc})
	c.row("002.146", text(end.JSON, "path") == doc && text(end.JSON, "status") == "disconnected" && text(end.JSON, "message") == "RTC session ended successfully", end.Raw)
	c.row("002.147", text(query(doc).JSON, "status") == "disconnected")
	c.row("002.148", text(p.good("end_document_session", dict{"path": folder + "/none.md"}).JSON, "status") == "not_found")

	// The idle time after which a session ends.
	short := start(c, c.Server, "--session-timeout=0.05") // minutes
	status := func() answer { return short.good("query_nb_sessions", dict{"root_path": folder}) }
	short.good("get_nb_stat", dict{"path": path})
	c.row("002.149", eventually(func() bool { return number(status().JSON, "active_sessions") == 0 }))
	c.row("002.151", text(status().JSON, "sessions.0.status") == "disconnected", status().Raw)
	short.good("get_nb_stat", dict{"path": path})
	c.row("002.152", text(status().JSON, "sessions.0.status") == "connected", status().Raw)
	used := start(c, c.Server, "--session-timeout=0.07") // four seconds
	used.good("get_nb_stat", dict{"path": path})
	still := true
	for range 4 {
		time.Sleep(1500 * time.Millisecond)
		all := used.good("query_nb_sessions", dict{"root_path": folder}) // which does not use the notebook
		still = still && number(all.JSON, "active_sessions") == 1 && number(all.JSON, "sessions.0.expires_in_seconds") < 3
		used.good("get_nb_stat", dict{"path": path})
	}
	c.row("002.150", still)
	c.row("002.154", start(c, c.Server, "--session-timeout", "10").good("get_base_url", nil).Code == 0)
}
