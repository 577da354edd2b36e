package seeds

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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
