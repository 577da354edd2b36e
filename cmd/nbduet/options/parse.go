package options

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Parse sets the options from the environment, and then from the arguments. It returns the arguments that are no flags.
// What comes before a mistake is set.
func (s *Set) Parse(args []string, env func(string) string) (words []string, err error) {
	for _, o := range s.Options {
		for _, name := range o.Envs {
			value := env(name)
			if strings.TrimSpace(value) == "" {
				continue
			}
			if err := o.set(value); err != nil {
				return nil, fmt.Errorf("--%s: %w (from %s)", o.Name, err, name)
			}
			break
		}
	}
	given := map[*Option]bool{}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			return append(words, args...), nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			words = append(words, arg)
			continue
		}
		name, value, has := strings.Cut(arg, "=")
		o := s.find(name)
		switch {
		case o == nil:
			return nil, fmt.Errorf("unknown flag %s%s", name, meant(name, s.names()))
		case has:
		case o.flag():
			value = "true"
		case len(args) == 0 || strings.HasPrefix(args[0], "--"):
			return nil, fmt.Errorf("--%s: it needs a value: --%s=%s", o.Name, o.Name, o.Placeholder)
		default:
			value, args = args[0], args[1:]
		}
		if o.field.Kind() == reflect.Slice && !given[o] {
			o.field.SetZero() // of what the environment says
		}
		given[o] = true
		if err := o.set(value); err != nil {
			return nil, fmt.Errorf("--%s: %w", o.Name, err)
		}
	}
	return words, nil
}

// find is the option of an argument, nil if there is none.
func (s *Set) find(arg string) *Option {
	for _, o := range s.Options {
		if arg == "--"+o.Name || o.Short != "" && arg == "-"+o.Short {
			return o
		}
	}
	return nil
}

func (s *Set) names() []string {
	names := make([]string, 0, len(s.Options))
	for _, o := range s.Options {
		names = append(names, "--"+o.Name)
	}
	return names
}

// set makes the field what a text says. Lists grow.
func (o *Option) set(text string) error {
	switch o.field.Kind() {
	case reflect.String:
		o.field.SetString(text)
	case reflect.Bool:
		v, ok := truths[strings.ToLower(strings.TrimSpace(text))]
		if !ok {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		o.field.SetBool(v)
	case reflect.Int:
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		o.field.SetInt(int64(n))
	case reflect.Slice:
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				o.field.Set(reflect.Append(o.field, reflect.ValueOf(part)))
			}
		}
	default:
		panic("no option can be a " + o.field.Kind().String())
	}
	return nil
}

var truths = map[string]bool{"true": true, "1": true, "yes": true, "on": true, "false": false, "0": false, "no": false, "off": false}

// Unexpected is the error about an argument that stands for nothing, which one of the known ones may be meant by.
func Unexpected(arg string, known []string) error {
	return fmt.Errorf("unexpected argument %s%s", arg, meant(arg, known))
}

// meant asks for the known word that is nearest, if one is near.
func meant(word string, known []string) string {
	nearest, least := "", 3+len(word)/6
	for _, k := range known {
		if d := distance(word, k); d < least {
			nearest, least = k, d
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", nearest)
}

// distance is how many letters have to be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := before
			if a[i] != b[j] {
				d++
			}
			before = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
