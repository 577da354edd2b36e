package options

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"unicode"
)

// An Option is one flag.
type Option struct {
	// Name is without hyphens before it.
	Name string
	// Short is a letter that stands for it, or empty.
	Short string
	// Envs are the variables that stand for it.
	Envs []string
	// Default is what it is if nothing sets it.
	Default string
	// Placeholder stands for the value in the help.
	Placeholder string
	// Help is what it is, in sentences.
	Help string

	field reflect.Value
}

// A Set is the options of a struct.
type Set struct {
	// Options are in the order of the fields.
	Options []*Option
}

// New returns the options of the struct that target points to. Words are replaced in the help: ${name}. It panics if the
// struct is not as the package wants it.
func New(target any, words map[string]string) *Set {
	s := &Set{}
	s.add(reflect.ValueOf(target).Elem(), words)
	return s
}

func (s *Set) add(v reflect.Value, words map[string]string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if _, ok := field.Tag.Lookup("embed"); ok {
			s.add(v.Field(i), words)
			continue
		}
		o := &Option{
			Name: field.Tag.Get("name"), Short: field.Tag.Get("short"), Default: field.Tag.Get("default"), Placeholder: field.Tag.Get("placeholder"), field: v.Field(i),
		}
		if o.Name == "" {
			o.Name = hyphened(field.Name)
		}
		if envs := field.Tag.Get("env"); envs != "" {
			o.Envs = strings.Split(envs, ",")
		}
		o.Help = os.Expand(field.Tag.Get("help"), func(name string) string {
			if name == "default" {
				return o.Default
			}
			return words[name]
		})
		if err := o.set(o.Default); err != nil && o.Default != "" {
			panic(fmt.Sprintf("the default of --%s: %v", o.Name, err))
		}
		s.Options = append(s.Options, o)
	}
}

// hyphened is a field's name as a flag's: MaxImageBytes is max-image-bytes, and JupyterURL jupyter-url.
func hyphened(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		begins := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// flag reports whether the option needs no value.
func (o *Option) flag() bool { return o.field.Kind() == reflect.Bool }
