package presence

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Everybody is the username in chats of all who work through this program, and of a client that does not say what it is. It
// is the same in each process, as are those of the others: else a chat's list of users would fill up with us.
const Everybody = "nbduet"

// Duet is all who work through this program, as people see them in chats.
func Duet() awareness.User {
	const name = "Duet"
	return awareness.User{Username: Everybody, Name: name + " " + awareness.AIMark, DisplayName: name, Initials: awareness.Initials(name), Color: awareness.Color(name)}
}

// Ours reports whether a username is one that this program gives, in this process or another: then it is no person's.
func Ours(username string) bool {
	return username == Everybody || strings.HasPrefix(username, Everybody+"-")
}

// inChats gives a face its user in chats. The username is that of the face's first name, and stays when people come because
// of whom it is called something else: it is not shown, and who mentions it means the same client. f.mu is held.
func (f *Faces) inChats(one *face) {
	username := one.InChats.Username
	if username == "" {
		username = f.usernameFor(one)
	}
	if one.InChats = one.User; username == Everybody {
		one.InChats = Duet()
	}
	one.InChats.Username = username
}

// usernameFor is a username in chats that no other face has, but for that of all.
func (f *Faces) usernameFor(one *face) string {
	handle := handle(one.Name)
	if one.base == unnamed || handle == "" || handle == "duet" || handle == Everybody {
		return Everybody
	}
	for n := 1; ; n++ {
		username := Everybody + "-" + handle
		if n > 1 {
			username += "-" + strconv.Itoa(n)
		}
		if _, has := f.with(username); !has {
			return username
		}
	}
}

// handle is a name as a part of a username: letters and digits, and what is between them as a dash.
func handle(name string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(name, awareness.AIMark, "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}

// with is the client that has a username in chats.
func (f *Faces) with(username string) (client string, has bool) {
	for client, other := range f.faces {
		if other.InChats.Username == username {
			return client, true
		}
	}
	return "", false
}

// With is the client of this process that has a username in chats to itself.
func (f *Faces) With(username string) (client string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if username == Everybody {
		return "", false
	}
	return f.with(username)
}
