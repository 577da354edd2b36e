package login

import (
	"cmp"
	"html"
	"net/http"
	"net/url"
	"strings"

	"github.com/samber/lo"
)

// page shows a page, which loads no other resources and cannot be framed.
func (l *Login) page(status int, p page) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		// form-action would also restrict where the answer may redirect, which is a program's own address.
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Frame-Options", "DENY")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(p.html(l.path + pathApprove))) // a closed browser needs no page
	}
}

// wrong shows a page with an error.
func (l *Login) wrong(status int, what string) http.HandlerFunc {
	return l.page(status, page{Wrong: what})
}

// A page is shown to a person.
type page struct {
	Wrong string // the error; "" for the consent question

	Program, Where, User, Grant string
}

// consentPage asks a person whether a program may work in their name. The program chose its name, but cannot choose how the
// destination of its code is described.
func consentPage(name, redirect, user, grant string) page {
	name = cmp.Or(name, "A program without a name")
	where := "a program on this computer"
	if u, err := url.Parse(redirect); err == nil {
		switch {
		case u.Scheme == "https":
			where = "the site " + u.Host
		case u.Scheme != "http":
			where = "the program on this computer that opens " + u.Scheme + ": addresses"
		}
	}
	return page{Program: name, Where: where, User: user, Grant: grant}
}

// html returns the page, whose form goes to the address action. It is written by hand, because a template library would make
// the program a seventh larger.
func (p page) html(action string) string {
	body := lo.Ternary(p.Wrong != "", wrongHTML, questionHTML)
	pairs := []string{"{wrong}", p.Wrong, "{program}", p.Program, "{where}", p.Where, "{user}", p.User, "{grant}", p.Grant, "{action}", action}
	for i := 1; i < len(pairs); i += 2 {
		pairs[i] = html.EscapeString(pairs[i]) // quotes, too, for use in an attribute
	}
	return headHTML + strings.NewReplacer(pairs...).Replace(body) + "\n</body></html>\n"
}

const (
	headHTML = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>nbduet</title><meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:4em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em}button{font:inherit;padding:.4em 1.4em;margin-right:.6em;border:1px solid #888;border-radius:4px;background:#f5f5f5;cursor:pointer}
button[value=allow]{background:#1a6;border-color:#1a6;color:#fff}b{overflow-wrap:anywhere}</style></head><body>
`
	wrongHTML    = `<h1>This login does not work</h1><p>{wrong}</p>`
	questionHTML = `<h1>May this program work in your notebooks?</h1>
<p><b>{program}</b>, as it calls itself, asks to work on your Jupyter server as <b>{user}</b>: to read and change your files and
notebooks, and to run code.</p>
<p>The permission goes to {where}. If you did not just connect a program, do not allow it.</p>
<form method="post" action="{action}"><input type="hidden" name="grant" value="{grant}">
<button name="answer" value="allow">Allow</button><button name="answer" value="deny">Do not allow</button></form>`
)
