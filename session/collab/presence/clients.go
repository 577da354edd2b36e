package presence

import (
	"crypto/rand"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Self is how a client describes itself.
type Self struct {
	// Name and Title are those of its clientInfo.
	Name, Title string
	// Persona is the id of the JupyterLab persona that it works for, "" for none.
	Persona string
}

// A Appearance is a client as people see it.
type Appearance struct {
	// Client is the client session.
	Client string
	// Name is the name that people see, the User's DisplayName.
	Name string
	User awareness.User
	// InChats is the User in chats. Its username is the same in each process.
	InChats awareness.User
}

// Clients are the clients of this program.
type Clients struct {
	fixed    string // a name for all; "" for individual names
	username string

	mu      sync.Mutex
	byID    map[string]*entry
	order   []string // in the order of arrival
	made    int
	persons map[string]bool // names of people, as compared
	met     []string        // of persons, in the order of meeting
	changed chan struct{}   // see Changed; nil while unused
}

type entry struct {
	Appearance
	self Self
	base string // the name without a distinguishing suffix
	does map[any]Doing
}

// New returns the appearances of a process. If name is not empty, all of them have it.
func New(name string) *Clients {
	var id [4]byte
	// Since Go 1.24 crypto/rand.Read never fails.
	_, _ = rand.Read(id[:])
	return &Clients{
		fixed: strings.TrimSpace(name), username: "nbduet-" + hex.EncodeToString(id[:]),
		byID: map[string]*entry{}, persons: map[string]bool{},
	}
}

// Username returns the prefix of the usernames of all appearances of this process; a dash and a number follow. They are separate
// users even if the server authenticates us with a person's token, because JupyterLab hides clients with the viewer's
// username.
func (f *Clients) Username() string { return f.username }

// Said sets a client's description of itself, and reports whether that changed an appearance that was already visible.
func (f *Clients) Said(client string, s Self) (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.byID[client]
	if one != nil && (one.self == s || s == Self{}) {
		return false
	}
	known := one != nil
	if !known {
		one = f.enter(client)
	}
	one.self = s
	if base := f.base(s); base != one.base {
		one.base, one.InChats.Username = base, ""
		f.name(one)
		f.tell()
		return known
	}
	return false
}

// Of returns a client's appearance, and creates one if the client has not described itself.
func (f *Clients) Of(client string) Appearance {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.byID[client]; one != nil {
		return one.Appearance
	}
	return f.enter(client).Appearance
}

// All returns the appearances of all clients, in the order of their arrival.
func (f *Clients) All() []Appearance {
	f.mu.Lock()
	defer f.mu.Unlock()
	return lo.Map(f.order, func(client string, _ int) Appearance { return f.byID[client].Appearance })
}

// Forget removes a client that has left.
func (f *Clients) Forget(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID[client] != nil {
		delete(f.byID, client)
		f.order = slices.DeleteFunc(f.order, func(c string) bool { return c == client })
		f.tell()
	}
}

// maxPersons bounds the people whose names are remembered.
const maxPersons = 1_000

// Met records the name of a person in a room, and reports whether an appearance had that name and was renamed.
func (f *Clients) Met(person string) (changed bool) {
	name := compared(person)
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "" || f.persons[name] {
		return false
	}
	f.persons[name] = true
	if f.met = append(f.met, name); len(f.met) > maxPersons {
		delete(f.persons, f.met[0])
		f.met = f.met[1:]
	}
	for _, one := range f.byID {
		if compared(one.Name) == name {
			f.name(one)
			changed = true
		}
	}
	if changed {
		f.tell()
	}
	return changed
}

// enter creates an appearance. f.mu is held.
func (f *Clients) enter(client string) *entry {
	f.made++
	one := &entry{base: f.base(Self{}), does: map[any]Doing{}}
	one.Client, one.User.Username = client, f.username+"-"+strconv.Itoa(f.made)
	f.byID[client] = one
	f.order = append(f.order, client)
	f.name(one)
	return one
}

// base returns the name of a client that describes itself as s, before it is made unique.
func (f *Clients) base(s Self) string {
	if f.fixed != "" {
		return f.fixed
	}
	return nameOf(s)
}

// name gives an appearance the first name that neither another appearance nor a person has, and the matching user. f.mu is held.
func (f *Clients) name(one *entry) {
	for n := 1; ; n++ {
		name := one.base
		if n > 1 {
			name += " " + strconv.Itoa(n)
		}
		if f.taken(name, one) {
			continue
		}
		if f.persons[compared(name)] {
			if name += " " + awareness.AIMark; f.persons[compared(name)] || f.taken(name, one) {
				continue
			}
		}
		one.Name = name
		break
	}
	short := strings.TrimSpace(strings.ReplaceAll(one.Name, awareness.AIMark, ""))
	u := &one.User
	u.Name, u.DisplayName, u.Initials, u.Color = one.Name, one.Name, awareness.Initials(short), f.color(short, one)
	if !strings.Contains(u.Name, awareness.AIMark) {
		u.Name += " " + awareness.AIMark
	}
	picture := avatar(u.Initials, u.Color)
	u.AvatarURL = &picture
	f.inChats(one)
}

// taken reports whether another appearance has a name.
func (f *Clients) taken(name string, by *entry) bool {
	for _, other := range f.byID {
		if other != by && compared(other.Name) == compared(name) {
			return true
		}
	}
	return false
}

// color returns the colour for a name, or the next unused colour if another appearance has it, as long as there are any.
func (f *Clients) color(name string, by *entry) string {
	used := map[string]bool{}
	for _, other := range f.byID {
		if other != by {
			used[other.User.Color] = true
		}
	}
	colors := awareness.Colors(name)
	for _, c := range colors {
		if !used[c] {
			return c
		}
	}
	return colors[0]
}

// avatar returns a small picture as a data URL: initials on a colour, in a square with round corners, unlike the circles of
// people.
func avatar(initials, color string) string {
	size := lo.Ternary(len([]rune(initials)) > 2, "12", "15")
	return "data:image/svg+xml," + strings.NewReplacer("COLOR", url.PathEscape(color), "SIZE", size, "TEXT", url.PathEscape(html.EscapeString(initials))).Replace(
		"%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='COLOR'/%3E"+
			"%3Ctext x='16' y='21' font-family='sans-serif' font-size='SIZE' text-anchor='middle' fill='%23222'%3ETEXT%3C/text%3E%3C/svg%3E")
}
