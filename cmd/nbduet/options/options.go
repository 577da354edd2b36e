// Package options makes flags of the fields of a struct, by their tags, and fills them from a command line and the
// environment:
//
//	name         the flag's name
//	short        a letter that stands for the flag
//	env          the variables that stand for the flag, the first one that is set first, with commas between them
//	default      the value where nothing else gives one
//	placeholder  what the help writes for the value
//	help         what the flag is
//
// Fields are strings, ints, bools, lists of strings, which have commas between them, and structs of such. A flag wins over
// the environment, and a variable that is empty is not set: forms hand down what was left empty.
//
// Parsing and help are pflag's. Libraries that read such tags themselves were not taken: kong calls methods by their
// names, which keeps the linker from leaving out any method at all, and go-flags takes /notebooks for a flag on Windows.
package options

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/pflag"
)

// Annotations of flags.
const (
	Env     = "env"     // the variables that stand for it
	Default = "default" // what it is where nothing else says; Flag.DefValue is empty, or pflag would write it once more
)

// A UsageError is a mistake in how the program was called: in arguments, flags or environment.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// New returns the flags of the struct that target points to, in the order of its fields. It panics if the struct is not as
// the package wants it.
func New(target any) *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	add(set, reflect.ValueOf(target).Elem())
	return set
}

func add(set *pflag.FlagSet, fields reflect.Value) {
	for i := range fields.NumField() {
		tag := fields.Type().Field(i).Tag
		name, short, help := tag.Get("name"), tag.Get("short"), tag.Get("help")
		switch p := fields.Field(i).Addr().Interface().(type) {
		case *string:
			set.StringVarP(p, name, short, "", help)
		case *int:
			set.IntVarP(p, name, short, 0, help)
		case *bool:
			set.BoolFuncP(name, short, help, func(text string) (err error) {
				*p, err = truth(text)
				return err
			})
		case *[]string:
			set.FuncP(name, short, help, func(text string) error {
				*p = append(*p, list(text)...)
				return nil
			})
		default:
			add(set, fields.Field(i))
			continue
		}
		flag := set.Lookup(name)
		if flag.NoOptDefVal == "" {
			flag.Value = value{Value: flag.Value, set: set, placeholder: tag.Get("placeholder")}
		}
		flag.DefValue, flag.Annotations = "", map[string][]string{}
		if usual := tag.Get("default"); usual != "" {
			if err := flag.Value.Set(usual); err != nil {
				panic(fmt.Sprintf("the default of --%s: %v", name, err))
			}
			flag.Annotations[Default] = []string{usual}
			flag.Usage += " Default: " + usual + "."
		}
		if env := tag.Get("env"); env != "" {
			flag.Annotations[Env] = strings.Split(env, ",")
			flag.Usage = strings.TrimSuffix(flag.Usage, ".") + " ($" + strings.ReplaceAll(env, ",", ", $") + ")."
		}
	}
}

// Parse sets the flags from the arguments, and those that are not among them from the environment. What comes before a
// mistake is set.
func Parse(set *pflag.FlagSet, args []string, env func(string) string) error {
	err := set.Parse(args)
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		set.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name, _, _ := strings.Cut(cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()), "=")
		return fmt.Errorf("%w%s", err, Meant("--"+name, names))
	}
	set.VisitAll(func(f *pflag.Flag) {
		for _, name := range f.Annotations[Env] {
			text := strings.TrimSpace(env(name))
			if err != nil || f.Changed || text == "" {
				continue
			}
			if wrong := set.Set(f.Name, text); wrong != nil {
				err = fmt.Errorf("%s: %w", name, wrong)
			}
		}
	})
	return err
}

var valued = regexp.MustCompile(`(?m)^(.{6}--\S+) (\S)`)

// Help lists the flags for a terminal, with = before values.
func Help(set *pflag.FlagSet) string {
	return valued.ReplaceAllString(set.FlagUsagesWrapped(80), "$1=$2")
}

// Meant asks for the known word that is nearest to a wrong one, if one is near: it is to follow an error.
func Meant(wrong string, known []string) string {
	nearest, most := "", 0.5
	for _, k := range known {
		if s := levenshtein.Similarity(wrong, k, nil); s > most {
			nearest, most = k, s
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", nearest)
}

// A value is one with a placeholder, which pflag asks for as its type. It is never another flag, as in --token $EMPTY
// --read-only, which would have no effect.
type value struct {
	pflag.Value
	set         *pflag.FlagSet
	placeholder string
}

func (v value) Type() string { return v.placeholder }

func (v value) Set(text string) error {
	name, _, _ := strings.Cut(text, "=")
	if name, ok := strings.CutPrefix(name, "--"); ok && v.set.Lookup(name) != nil {
		return errors.New("that is a flag, and the value before it is missing")
	}
	return v.Value.Set(text)
}

func truth(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes", "on":
		return true, nil
	case "no", "off":
		return false, nil
	}
	return strconv.ParseBool(text)
}

func list(text string) (parts []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
