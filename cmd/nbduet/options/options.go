// Package options makes flags of the fields of a struct, by their tags, and fills them from a command line and the
// environment:
//
//	name         the flag's name
//	short        the flag's one-letter form
//	env          the environment variables for the flag, separated by commas; the first one that is set counts
//	default      the value if no other source gives one
//	placeholder  the value's name in the usage text
//	help         a description of the flag
//
// Fields are strings, ints, bools, lists of strings separated by commas, and structs of these. A flag takes precedence over
// the environment. A variable that is empty counts as not set, because forms pass fields that were left empty.
//
// Parsing and help come from pflag. Two libraries that read such tags were rejected: kong calls methods by name, which keeps
// the linker from removing any method, and go-flags parses /notebooks as a flag on Windows.
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
	Env     = "env"     // the environment variables for it
	Default = "default" // the default value; Flag.DefValue is empty, or pflag would print it again
)

// A UsageError is a mistake in the program's arguments, flags or environment.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// New returns the flags of the struct that target points to, in the order of its fields. It panics if the struct has an
// unsupported field or an invalid default.
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

// Parse sets the flags from the arguments, and flags that are not among them from the environment. If it returns an error,
// the flags before the mistake are set.
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

// Meant returns a suffix for an error that suggests the nearest known word, or "" if none is near.
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

// A value has a placeholder, which pflag reads as its type. It refuses the name of another flag: in --token $EMPTY
// --read-only, that flag would otherwise have no effect.
type value struct {
	pflag.Value
	set         *pflag.FlagSet
	placeholder string
}

func (v value) Type() string { return v.placeholder }

func (v value) Set(text string) error {
	name, _, _ := strings.Cut(text, "=")
	if name, ok := strings.CutPrefix(name, "--"); ok && v.set.Lookup(name) != nil {
		return errors.New("this is a flag; the value before it is missing")
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
