package faults

import (
	"errors"
	"strings"
)

// Values are inserted into a sentence.
type Values struct {
	// Address is the server's address; if it is empty, the sentence leaves it out.
	Address string
	// Detail is further information.
	Detail string
}

// Fault is a fault with its sentence. It is an error, whose text is the sentence.
type Fault struct {
	// Code is empty in the zero Fault.
	Code Code
	// Wrong says what is wrong, and Fix what to do.
	Wrong, Fix string
}

// Settings of the only server, as sentences name them.
const (
	settingURL   = "--jupyter-url (JUPYTER_SERVER_URL)"
	settingToken = "--token (JUPYTER_TOKEN)"
	settingCA    = "--ca-file (NBDUET_CA_FILE)" // applies to all servers
)

// New returns the fault with values in its sentence. It panics if the table lacks the code.
func New(code Code, v Values) Fault {
	pairs := []string{"{url}", settingURL, "{token}", settingToken, "{ca}", settingCA, "{detail}", v.Detail, "{address}", v.Address}
	for _, word := range []string{"to", "at", "from"} {
		where := ""
		if v.Address != "" {
			where = " " + word + " " + v.Address
		}
		pairs = append(pairs, "{"+word+" address}", where)
	}
	fill := strings.NewReplacer(pairs...)
	for _, r := range table {
		if r.code == code {
			return Fault{Code: code, Wrong: fill.Replace(r.wrong), Fix: fill.Replace(r.fix)}
		}
	}
	panic("faults: no fault " + string(code))
}

// Of returns the fault in the chain of err, and whether there is one.
func Of(err error) (Fault, bool) {
	var f Fault
	if !errors.As(err, &f) || f.Code == "" {
		return Fault{}, false
	}
	return f, true
}

// Error returns the sentence.
func (f Fault) Error() string { return f.Wrong + "; " + f.Fix }

// Kind returns the fault's code, which quotes nothing.
func (f Fault) Kind() string { return string(f.Code) }

// ForRole returns the fault with the settings of the given server role.
func (f Fault) ForRole(role string) Fault {
	f.Wrong, f.Fix = ForRole(role, f.Wrong), ForRole(role, f.Fix)
	return f
}

// TokenSetting names the setting for a server's token, by the server's role; "" is the only server.
func TokenSetting(role string) string { return ForRole(role, settingToken) }

// ForRole replaces the settings of the only server in a text by those of a role.
func ForRole(role, text string) string {
	if role == "" {
		return text
	}
	upper := strings.ToUpper(role)
	return strings.NewReplacer(
		settingToken, "--"+role+"-token ("+upper+"_TOKEN)",
		settingURL, "--"+role+"-url ("+upper+"_URL)",
	).Replace(text)
}
