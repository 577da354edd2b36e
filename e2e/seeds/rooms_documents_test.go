package seeds

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/sessiontest"
)

// Seed 002: texts.
func checkTexts(c *check) {
	p := start(c, c.Server)
	path := c.Server.Write(c, c.Server.Name(c, ".md"), "# Document Content\n\nThis is a sample.")
	got := p.good("get_document_content", dict{"path": path})
	c.row("002.088", text(got.JSON, "content") == "# Document Content\n\nThis is a sample." && at(got.JSON, "truncated") == false && number(got.JSON, "content_length") == 37, got.Raw)
	few := p.good("get_document_content", dict{"path": path, "max_content": 10})
	c.row("002.089", text(few.JSON, "content") == "# Document" && at(few.JSON, "truncated") == true && number(few.JSON, "content_length") == 37, few.Raw)

	other := start(c, c.Server) // somebody else, whose changes are in the room before they are in the file
	now := func(p *program) string {
		return text(p.good("get_document_content", dict{"path": path}).JSON, "content")
	}
	now(other)
	ins := p.good("insert_document_text", dict{"path": path, "position": 2, "text": "My "})
	c.row("002.092", text(ins.JSON, "message") == "Successfully inserted 3 characters at position 2" && number(ins.JSON, "position") == 2 && number(ins.JSON, "length") == 3, ins.Raw)
	c.row("002.093", eventually(func() bool { return strings.HasPrefix(now(other), "# My Document") }))
	other.insist("insert_document_text", dict{"path": path, "position": 0, "text": "typed "})
	c.row("002.090", eventually(func() bool { return strings.HasPrefix(now(p), "typed # My Document") }))
	del := p.insist("delete_document_text", dict{"path": path, "position": 0, "length": 6})
	c.row("002.095", text(del.JSON, "message") == "Successfully deleted 6 characters from position 0" && number(del.JSON, "position") == 0 && number(del.JSON, "length") == 6 && strings.HasPrefix(now(p), "# My"), del.Raw)
	rep := p.good("replace_document_text", dict{"path": path, "position": 2, "length": 2, "text": "Our"})
	c.row("002.097", text(rep.JSON, "message") == "Successfully replaced 2 characters with 3 new characters at position 2" && number(rep.JSON, "position") == 2 && number(rep.JSON, "length") == 2 && number(rep.JSON, "new_length") == 3 && strings.HasPrefix(now(p), "# Our"), rep.Raw)
	for _, name := range []string{".txt", ".py"} {
		file := c.Server.Write(c, c.Server.Name(c, name), "a = 1\n")
		p.good("insert_document_text", dict{"path": file, "position": 0, "text": "b"})
		c.row("002.098", text(p.good("get_document_content", dict{"path": file}).JSON, "content") == "ba = 1\n", name)
	}
	far := p.call("insert_document_text", dict{"path": path, "position": 4000, "text": "x"})
	c.row("002.099", far.Failed && strings.Contains(far.Raw, "4000"), far.Raw)
}

// Seed 002: documents, without rooms.
func checkDocuments(c *check) {
	p := start(c, c.Server)
	there := func(path string) bool { _, err := os.Stat(filepath.Join(c.Server.Root, path)); return err == nil }
	nb, md, txt := c.Server.Name(c, ".ipynb"), c.Server.Name(c, ".md"), c.Server.Name(c, ".txt")
	made := p.good("create_document", dict{"path": nb})
	c.row("002.107", text(made.JSON, "message") == "Successfully created notebook at '"+nb+"'" && text(made.JSON, "path") == nb && text(made.JSON, "type") == "notebook" && there(nb), made.Raw)
	const content = "# Document Content"
	made = p.good("create_document", dict{"path": md, "type": "markdown", "content": content})
	c.row("002.108", text(made.JSON, "type") == "markdown" && c.Server.Read(c, md) == content, made.Raw)
	made = p.good("create_document", dict{"path": txt, "type": "file", "content": "words"})
	c.row("002.109", text(made.JSON, "type") == "file" && c.Server.Read(c, txt) == "words", made.Raw)
	full := c.Server.Name(c, ".ipynb")
	p.good("create_document", dict{"path": full, "content": `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"id":"a","cell_type":"markdown","metadata":{},"source":"given"}]}`})
	c.row("002.110", strings.Contains(c.Server.Read(c, full), "given"))

	info := p.good("get_document_info", dict{"path": md})
	c.row("002.112", has(info.JSON, "name", "path", "type", "format", "created", "last_modified", "size", "writable", "mimetype", "url") && text(info.JSON, "name") == md && number(info.JSON, "size") == float64(len(content)), info.Raw)
	c.row("002.113", text(info.JSON, "format") == "text" && text(info.JSON, "mimetype") == "text/markdown" && text(info.JSON, "type") == "file", info.Raw)
	c.row("002.114", len(info.Texts) == 1, info.Raw)
	with := p.good("get_document_info", dict{"path": md, "include_content": true})
	c.row("002.115", len(with.Texts) == 3 && number(decoded(with.Texts[1]), "content_length") == 18 && at(decoded(with.Texts[1]), "truncated") == false && with.Texts[2] == content, with.Raw)
	cut := p.good("get_document_info", dict{"path": md, "include_content": true, "max_content": 5})
	c.row("002.116", len(cut.Texts) == 3 && cut.Texts[2] == "# Doc" && at(decoded(cut.Texts[1]), "truncated") == true, cut.Raw)
	whole := p.good("get_document_info", dict{"path": full, "include_content": true})
	c.row("002.117", len(whole.Texts) == 3 && strings.Contains(whole.Texts[2], "given"), whole.Raw)

	over := p.good("overwrite_document", dict{"path": txt, "content": "other words"})
	c.row("002.123", text(over.JSON, "message") == "Successfully overwrote document at '"+txt+"'" && text(over.JSON, "path") == txt && number(over.JSON, "content_length") == 11 && eventually(func() bool { return c.Server.Read(c, txt) == "other words" }), over.Raw)
	copied := c.Server.Name(c, ".md")
	cp := p.good("copy_document", dict{"path": md, "copyPath": copied})
	c.row("002.121", text(cp.JSON, "message") == fmt.Sprintf("Successfully copied document from '%s' to '%s'", md, copied) && text(cp.JSON, "original_path") == md && text(cp.JSON, "copy_path") == copied && c.Server.Read(c, copied) == content, cp.Raw)
	nb2 := c.Server.Name(c, ".ipynb")
	p.good("copy_document", dict{"path": full, "copyPath": nb2})
	c.row("002.126", strings.Contains(c.Server.Read(c, nb2), "given"))
	renamed := c.Server.Name(c, ".md")
	ren := p.good("rename_document", dict{"path": copied, "newPath": renamed})
	c.row("002.119", text(ren.JSON, "message") == fmt.Sprintf("Successfully renamed document from '%s' to '%s'", copied, renamed) && text(ren.JSON, "old_path") == copied && text(ren.JSON, "new_path") == renamed && there(renamed) && !there(copied), ren.Raw)
	del := p.good("delete_document", dict{"path": renamed})
	c.row("002.125", text(del.JSON, "message") == "Successfully deleted document at '"+renamed+"'" && text(del.JSON, "path") == renamed && !there(renamed), del.Raw)
	p.good("delete_document", dict{"path": nb2})
	c.row("002.127", !there(nb2))
	rooms := p.good("query_nb_sessions", nil)
	open := func(path string) bool {
		return text(p.good("query_document_session", dict{"path": path}).JSON, "status") == "connected"
	}
	c.row("002.128", number(rooms.JSON, "total_sessions") == 0 && !open(md) && !open(full), rooms.Raw)
	c.row("002.129", !open(md))
	c.row("002.130", !open(txt))
}

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
	session, err := sessiontest.Server(c.T, c.Server).CollaborationSession(c.Context(), jupyter.MustPath(path), "json", "notebook")
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

	// The time of silence after which a session ends.
	short := start(c, c.Server, "--session-timeout=0.02") // minutes
	status := func() answer { return short.good("query_nb_sessions", dict{"root_path": folder}) }
	short.good("get_nb_stat", dict{"path": path})
	c.row("002.149", eventually(func() bool { return number(status().JSON, "active_sessions") == 0 }))
	c.row("002.151", text(status().JSON, "sessions.0.status") == "disconnected", status().Raw)
	short.good("get_nb_stat", dict{"path": path})
	c.row("002.152", text(status().JSON, "sessions.0.status") == "connected", status().Raw)
	used := start(c, c.Server, "--session-timeout=0.05") // three seconds
	used.good("get_nb_stat", dict{"path": path})
	still := true
	for range 5 {
		time.Sleep(time.Second)
		all := used.good("query_nb_sessions", dict{"root_path": folder}) // which is no use of the notebook
		still = still && number(all.JSON, "active_sessions") == 1 && number(all.JSON, "sessions.0.expires_in_seconds") < 2.5
		used.good("get_nb_stat", dict{"path": path})
	}
	c.row("002.150", still)
	c.row("002.154", start(c, c.Server, "--session-timeout", "10").good("get_base_url", nil).Code == 0)
}
