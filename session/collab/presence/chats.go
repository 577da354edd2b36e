package presence

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/nbduet/nbduet/ydoc/awareness"
	"github.com/samber/lo"
)

// Everybody is the username in chats of the program as a whole, and of clients that do not identify themselves. All
// usernames in chats are the same in each process; otherwise a chat's list of users would fill up with ours.
const Everybody = "nbduet"

// Duet returns the program as a whole, as people see it in chats.
func Duet() awareness.User {
	const name = "Duet"
	return awareness.User{Username: Everybody, Name: name + " " + awareness.AIMark, DisplayName: name, Initials: awareness.Initials(name), Color: awareness.Color(name)}
}

// Ours reports whether a username belongs to this program, in this process or another, and thus not to a person.
func Ours(username string) bool {
	return username == Everybody || strings.HasPrefix(username, Everybody+"-")
}

// inChats gives an appearance its user in chats. The username comes from the appearance's first name, and stays when the appearance is renamed
// because of a person: it is not shown, and a mention of it must still mean the same client. f.mu is held.
func (f *Clients) inChats(one *entry) {
	username := one.InChats.Username
	if username == "" {
		username = f.usernameFor(one)
	}
	if one.InChats = one.User; username == Everybody {
		one.InChats = Duet()
	}
	one.InChats.Username = username
}

// usernameFor returns a username in chats that no other appearance has, or Everybody.
func (f *Clients) usernameFor(one *entry) string {
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

// handle returns a name as a part of a username: its letters and digits, with dashes in place of everything else.
func handle(name string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(name, awareness.AIMark, "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}

// with returns the client that has a username in chats.
func (f *Clients) with(username string) (client string, has bool) {
	return lo.FindKeyBy(f.byID, func(_ string, other *entry) bool { return other.InChats.Username == username })
}

// With returns the client of this process that has this username in chats. Everybody does not belong to one client.
func (f *Clients) With(username string) (client string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if username == Everybody {
		return "", false
	}
	return f.with(username)
}
