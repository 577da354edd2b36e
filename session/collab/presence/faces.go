package presence

import (
	"crypto/rand"
	"encoding/hex"
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

// A Face is a client as people see it.
type Face struct {
	// Client is the client session.
	Client string
	// Name is the name that people see, the User's DisplayName.
	Name string
	User awareness.User
	// InChats is the User in chats. Its username is the same in each process.
	InChats awareness.User
}

// Faces are the clients of this program.
type Faces struct {
	fixed    string // a name for all; "" for individual names
	username string

	mu      sync.Mutex
	faces   map[string]*face
	order   []string // in the order of arrival
	made    int
	persons map[string]bool // names of people, as compared
	met     []string        // of persons, in the order of meeting
	changed chan struct{}   // see Changed; nil while unused
}

type face struct {
	Face
	self Self
	base string // the name without a distinguishing suffix
	does map[any]Doing
}

// New returns the faces of a process. If name is not empty, all of them have it.
func New(name string) *Faces {
	var id [4]byte
	// Since Go 1.24 crypto/rand.Read never fails.
	_, _ = rand.Read(id[:])
	return &Faces{
		fixed: strings.TrimSpace(name), username: "nbduet-" + hex.EncodeToString(id[:]),
		faces: map[string]*face{}, persons: map[string]bool{},
	}
}

// Username returns the prefix of the usernames of all faces of this process; a dash and a number follow. They are separate
// users even if the server authenticates us with a person's token, because JupyterLab hides clients with the viewer's
// username.
func (f *Faces) Username() string { return f.username }

// Said sets a client's description of itself, and reports whether that changed a face that was already visible.
func (f *Faces) Said(client string, s Self) (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.faces[client]
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

// Of returns a client's face, and creates one if the client has not described itself.
func (f *Faces) Of(client string) Face {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.faces[client]; one != nil {
		return one.Face
	}
	return f.enter(client).Face
}

// All returns the faces of all clients, in the order of their arrival.
func (f *Faces) All() []Face {
	f.mu.Lock()
	defer f.mu.Unlock()
	return lo.Map(f.order, func(client string, _ int) Face { return f.faces[client].Face })
}

// Forget removes a client that has left.
func (f *Faces) Forget(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.faces[client] != nil {
		delete(f.faces, client)
		f.order = slices.DeleteFunc(f.order, func(c string) bool { return c == client })
		f.tell()
	}
}

// maxPersons bounds the people whose names are remembered.
const maxPersons = 1_000

// Met records the name of a person in a room, and reports whether a face had that name and was renamed.
func (f *Faces) Met(person string) (changed bool) {
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
	for _, one := range f.faces {
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

// enter creates a face. f.mu is held.
func (f *Faces) enter(client string) *face {
	f.made++
	one := &face{base: f.base(Self{}), does: map[any]Doing{}}
	one.Client, one.User.Username = client, f.username+"-"+strconv.Itoa(f.made)
	f.faces[client] = one
	f.order = append(f.order, client)
	f.name(one)
	return one
}

// base returns the name of a client that describes itself as s, before it is made unique.
func (f *Faces) base(s Self) string {
	if f.fixed != "" {
		return f.fixed
	}
	return nameOf(s)
}

// name gives a face the first name that neither another face nor a person has, and the matching user. f.mu is held.
func (f *Faces) name(one *face) {
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

// taken reports whether another face has a name.
func (f *Faces) taken(name string, by *face) bool {
	for _, other := range f.faces {
		if other != by && compared(other.Name) == compared(name) {
			return true
		}
	}
	return false
}

// color returns the colour for a name, or the next unused colour if another face has it, as long as there are any.
func (f *Faces) color(name string, by *face) string {
	used := map[string]bool{}
	for _, other := range f.faces {
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
