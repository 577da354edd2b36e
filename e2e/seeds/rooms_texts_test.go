package seeds

import (
	"strings"
)

// Seed 002: texts.
func checkTexts(c *check) {
	p := start(c, c.Server)
	path := c.Server.Write(c, c.Server.Name(c, ".md"), "# Document Content\n\nThis is a sample.")
	got := p.good("get_document_content", dict{"path": path})
	c.row("002.088", text(got.JSON, "content") == "# Document Content\n\nThis is a sample." && at(got.JSON, "truncated") == false && number(got.JSON, "content_length") == 37, got.Raw)
	few := p.good("get_document_content", dict{"path": path, "max_content": 10})
	c.row("002.089", text(few.JSON, "content") == "# Document" && at(few.JSON, "truncated") == true && number(few.JSON, "content_length") == 37, few.Raw)

	other := start(c, c.Server) // another client, whose changes are in the room before they are in the file
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
