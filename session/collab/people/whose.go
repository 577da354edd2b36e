package people

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/ydoc/textdiff"
)

// errAlone is the error for a client that asks for a person's cell and is alone in the room.
var errAlone = errors.New("no one else is in this notebook")

// orByID is advice that always applies.
const orByID = ", or name the cell by its id"

// Persons returns the people, without the agents.
func (c Company) Persons() []Person {
	return slices.DeleteFunc(slices.Clone(c.People), func(p Person) bool { return p.Agent })
}

// Called returns a person's name, with the username if another person in the room has the same name.
func (c Company) Called(p Person) string {
	return Called(p.Name, p.Username, slices.ContainsFunc(c.People, func(other Person) bool {
		return other.Name == p.Name && other.Username != p.Username
	}))
}

// Called returns a name for a line of text, with the username if twins is set.
func Called(name, username string, twins bool) string {
	if !twins || username == "" {
		return cutName(name)
	}
	return cutName(name) + " (" + cutName(username) + ")"
}

// maxShown is the maximum length of a shown name, in characters.
const maxShown = 60

// cutName cuts a name at its end, so that the shown name still matches as a beginning.
func cutName(name string) string {
	if r := []rune(name); len(r) > maxShown {
		return string(r[:maxShown])
	}
	return name
}

// Theirs returns the place of the only person, or of the person named who: a name, a username, or an unambiguous beginning
// of one. It never guesses: the error explains why the place is not known, and what to do.
func (c Company) Theirs(who string) (Place, error) {
	persons := c.Persons()
	if who != "" {
		p, err := c.find(persons, who)
		if err != nil {
			return Place{}, err
		}
		return c.place(p)
	}
	switch {
	case len(persons) > 1:
		return Place{}, fmt.Errorf("several people are in this notebook: %s: name one in the argument person%s", c.list(persons), orByID)
	case !c.Known.All() && len(persons) == 1:
		return Place{}, fmt.Errorf("it is not known yet whether %s is alone in this notebook%s: give person %s%s", c.Called(persons[0]), c.when(), textfmt.Quoted(persons[0].given()), orByID)
	case !c.Known.All():
		return Place{}, fmt.Errorf("it is not known yet who is in this notebook%s: call again%s", c.when(), orByID)
	case len(persons) == 0:
		return Place{}, fmt.Errorf("%w: name the cell by its id", errAlone)
	}
	return c.place(persons[0])
}

// given returns the value for the argument person.
func (p Person) given() string { return cutName(cmp.Or(p.Username, p.Name)) }

// when returns when everyone will be known, as the end of a clause.
func (c Company) when() string {
	if c.Known.Cut {
		return ", because the connection to its room is lost"
	}
	return fmt.Sprintf("; everyone there is known in %d s", c.Known.Seconds())
}

// find returns the only person that matches a name.
func (c Company) find(persons []Person, who string) (Person, error) {
	who = strings.ToLower(strings.TrimSpace(who))
	var whole, begins []Person
	for _, p := range persons {
		name, user := strings.ToLower(p.Name), strings.ToLower(p.Username)
		if user == who && user != "" {
			return p, nil
		}
		if name == who {
			whole = append(whole, p)
		}
		if strings.HasPrefix(name, who) || strings.HasPrefix(user, who) {
			begins = append(begins, p)
		}
	}
	if len(whole) > 0 {
		begins = whole
	}
	switch {
	case len(begins) == 1:
		return begins[0], nil
	case len(begins) > 1:
		return Person{}, fmt.Errorf("person %s matches several: %s: give the username%s", textfmt.Quoted(who), c.list(begins), orByID)
	case !c.Known.All():
		return Person{}, fmt.Errorf("person %s does not match anyone known in this notebook yet%s; known: %s", textfmt.Quoted(who), c.when(), c.list(persons))
	case len(persons) == 0:
		return Person{}, fmt.Errorf("person %s does not match anyone: %w: name the cell by its id", textfmt.Quoted(who), errAlone)
	}
	return Person{}, fmt.Errorf("person %s does not match anyone in this notebook; people there: %s", textfmt.Quoted(who), c.list(persons))
}

// maxListed is how many people an error names.
const maxListed = 10

// list names people with their usernames.
func (c Company) list(persons []Person) string {
	if len(persons) == 0 {
		return "none"
	}
	persons = slices.SortedFunc(slices.Values(persons), func(a, b Person) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Username, b.Username))
	})
	names := lo.Map(persons[:min(maxListed, len(persons))], func(p Person, _ int) string { return Called(p.Name, p.Username, true) })
	if more := len(persons) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// place returns the place of a person that counts.
func (c Company) place(p Person) (Place, error) {
	at, known := p.Here()
	switch {
	case !known:
		return Place{}, fmt.Errorf("%s has this notebook open in several tabs, in different cells, and the last used tab is not known: call again when they have moved%s", c.Called(p), orByID)
	case at.Cell == "":
		return Place{}, fmt.Errorf("%s is not in a cell of this notebook now (their tab shows no caret): ask which one they mean%s", c.Called(p), orByID)
	}
	return at, nil
}

// Here returns the place of a person that counts: that of the tab that moved or typed last. It is not known if the tabs are
// in different places and none has moved since we joined.
func (p Person) Here() (at Place, known bool) {
	at = p.Places[0]
	for _, o := range p.Places[1:] {
		if o.Cell != at.Cell && !o.Last().Before(at.Last()) {
			return at, false
		}
	}
	return at, true
}

// A Position is a position in a text as people count: line and column from 1, the column in characters.
type Position struct{ Line, Column int }

// maxSelected is how many characters of a selection are kept.
const maxSelected = 500

// selects sets the selection between two offsets of a source.
func (p *Place) selects(source string, anchor, head int) {
	p.Anchor, p.Head = anchor, head
	from, to := textdiff.ByteOffset(source, min(anchor, head)), textdiff.ByteOffset(source, max(anchor, head))
	p.From, p.To = position(source, from), position(source, to)
	p.Selected, p.Cut = textfmt.Cut(source[from:to], maxSelected)
}

// position returns the position of a byte in a text.
func position(text string, at int) Position {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	return Position{strings.Count(text[:line], "\n") + 1, utf8.RuneCountInString(text[line:at]) + 1}
}
