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

// Self is what a client says of itself.
type Self struct {
	// Name and Title are those of its clientInfo.
	Name, Title string
	// Persona is the id of the persona in JupyterLab for which it works, "" for none.
	Persona string
}

// A Face is a client as people see it.
type Face struct {
	// Client is the client session.
	Client string
	// Name is what people see, the User's DisplayName.
	Name string
	User awareness.User
	// InChats is the User as whom it is known in chats, under a username that is the same in each process.
	InChats awareness.User
}

// Faces are the clients of this program.
type Faces struct {
	fixed    string // a name for all; "" for their own
	username string

	mu      sync.Mutex
	faces   map[string]*face
	order   []string // of them, first come first
	made    int
	persons map[string]bool // names of people, as compared
	met     []string        // of persons, first met first
	changed chan struct{}   // see Changed; nil while nobody waits
}

type face struct {
	Face
	self Self
	base string // the name without what tells it from others
	does map[any]Doing
}

// New makes the faces of a process. A name that is not "" is that of all of them.
func New(name string) *Faces {
	var id [4]byte
	// Since Go 1.24 crypto/rand.Read never fails.
	_, _ = rand.Read(id[:])
	return &Faces{
		fixed: strings.TrimSpace(name), username: "nbduet-" + hex.EncodeToString(id[:]),
		faces: map[string]*face{}, persons: map[string]bool{},
	}
}

// Username is what the usernames of all faces of this process begin with, and then a dash. They are our own, even if the
// server knows us by a person's token, because JupyterLab hides everybody with the viewer's username.
func (f *Faces) Username() string { return f.username }

// Said takes what a client says of itself, and reports whether its face is now another one than was seen before.
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

// Of is a client's face. One that has said nothing of itself has one, too.
func (f *Faces) Of(client string) Face {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.faces[client]; one != nil {
		return one.Face
	}
	return f.enter(client).Face
}

// All are the faces of all clients, in the order in which they came.
func (f *Faces) All() []Face {
	f.mu.Lock()
	defer f.mu.Unlock()
	return lo.Map(f.order, func(client string, _ int) Face { return f.faces[client].Face })
}

// Forget forgets a client that has left.
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

// Met takes the name of a person who is there, and reports whether a face had it: it has another one now.
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

// enter makes a face. f.mu is held.
func (f *Faces) enter(client string) *face {
	f.made++
	one := &face{base: f.base(Self{}), does: map[any]Doing{}}
	one.Client, one.User.Username = client, f.username+"-"+strconv.Itoa(f.made)
	f.faces[client] = one
	f.order = append(f.order, client)
	f.name(one)
	return one
}

// base is the name of who says so of itself, as far as no other has it.
func (f *Faces) base(s Self) string {
	if f.fixed != "" {
		return f.fixed
	}
	return nameOf(s)
}

// name gives a face the first name that no other face and no person has, and what goes with it. f.mu is held.
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

// color is the colour for a name, or where another face has that, the next that none has, while there are such.
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
