package options_test

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

type target struct {
	ServerURL string `name:"server-url" env:"FIRST,SECOND" default:"none" placeholder:"URL" help:"The server."`
	MaxRooms  int    `name:"max-rooms" env:"ROOMS" default:"7" placeholder:"N" help:"Rooms, of the kind that is described at length."`
	Port      int    `name:"port" placeholder:"N" help:"Port."`
	More      embedded
}

type embedded struct {
	ReadOnly bool     `name:"read-only" short:"r" env:"READ_ONLY" help:"Read."`
	Names    []string `name:"names" env:"NAMES" placeholder:"NAME" help:"Names."`
}

func TestParse(t *testing.T) {
	usual := target{ServerURL: "none", MaxRooms: 7}
	with := func(change func(*target)) target {
		v := usual
		change(&v)
		return v
	}
	readOnly := with(func(v *target) { v.More.ReadOnly = true })
	for _, c := range []struct {
		args  string
		env   map[string]string
		want  target
		words string
	}{
		{"", nil, usual, ""},
		{"", map[string]string{"FIRST": "", "SECOND": " ", "ROOMS": "", "READ_ONLY": "", "NAMES": ""}, usual, ""},
		{"", map[string]string{"FIRST": "", "SECOND": "b"}, with(func(v *target) { v.ServerURL = "b" }), ""},
		{"", map[string]string{"FIRST": "a", "SECOND": "b"}, with(func(v *target) { v.ServerURL = "a" }), ""},
		{"--server-url=c", map[string]string{"FIRST": "a"}, with(func(v *target) { v.ServerURL = "c" }), ""},
		{"--server-url c=d --max-rooms -3 --port=4", nil, with(func(v *target) { v.ServerURL, v.MaxRooms, v.Port = "c=d", -3, 4 }), ""},
		{"--server-url= ", map[string]string{"FIRST": "a"}, with(func(v *target) { v.ServerURL = "" }), ""},
		{"--server-url --other", nil, with(func(v *target) { v.ServerURL = "--other" }), ""},
		{"--server-url -x", nil, with(func(v *target) { v.ServerURL = "-x" }), ""},
		{"--max-rooms 1", map[string]string{"ROOMS": "many"}, with(func(v *target) { v.MaxRooms = 1 }), ""},
		{"", map[string]string{"ROOMS": " 3 "}, with(func(v *target) { v.MaxRooms = 3 }), ""},
		{"start --read-only now", nil, readOnly, "start now"},
		{"-r", nil, readOnly, ""},
		{"--read-only=yes", nil, readOnly, ""},
		{"", map[string]string{"READ_ONLY": "On"}, readOnly, ""},
		{"--read-only=false", map[string]string{"READ_ONLY": "1"}, usual, ""},
		{"--read-only=no", map[string]string{"READ_ONLY": "true"}, usual, ""},
		{"--names=a,b --names c", map[string]string{"NAMES": "x"}, with(func(v *target) { v.More.Names = []string{"a", "b", "c"} }), ""},
		{"", map[string]string{"NAMES": "x, y,"}, with(func(v *target) { v.More.Names = []string{"x", "y"} }), ""},
		{"-- --read-only", nil, usual, "--read-only"},
		{"-", nil, usual, "-"},
	} {
		var v target
		set := options.New(&v)
		err := options.Parse(set, strings.Fields(c.args), func(name string) string { return c.env[name] })
		words := strings.Join(set.Args(), " ")
		must.NoError(t, err)
		test.Eq(t, c.want, v)
		test.Eq(t, c.words, words)
	}
}

// Every error names the flag, the variable if the value is from there, and the value.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, rooms, says string }{
		{"--max-room=1", "", `unknown flag: --max-room, did you mean "--max-rooms"?`},
		{"-port=1", "", `unknown shorthand flag: 'p' in -port=1, did you mean "--port"?`},
		{"--quite-different", "", "unknown flag: --quite-different"},
		{"-x", "", "unknown shorthand flag: 'x' in -x"},
		{"--max-rooms", "", "flag needs an argument: --max-rooms"},
		{"--max-rooms --read-only", "", `invalid argument "--read-only" for "--max-rooms" flag: this is a flag; the value before it is missing`},
		{"--server-url --names=x", "", `invalid argument "--names=x" for "--server-url" flag: this is a flag; the value before it is missing`},
		{"--max-rooms=many", "", `invalid argument "many" for "--max-rooms" flag: strconv.ParseInt: parsing "many": invalid syntax`},
		{"", "many", `ROOMS: invalid argument "many" for "--max-rooms" flag: strconv.ParseInt: parsing "many": invalid syntax`},
		{"--read-only=perhaps", "", `invalid argument "perhaps" for "-r, --read-only" flag: strconv.ParseBool: parsing "perhaps": invalid syntax`},
	} {
		err := options.Parse(options.New(&target{}), strings.Fields(c.args), func(name string) string {
			return map[string]string{"ROOMS": c.rooms}[name]
		})
		must.Error(t, err)
		test.Eq(t, c.says, err.Error())
	}
}

func TestMeant(t *testing.T) {
	known := []string{"start", "health"}
	for wrong, says := range map[string]string{"starts": `, did you mean "start"?`, "helth": `, did you mean "health"?`, "serve": "", "": ""} {
		if got := options.Meant(wrong, known); got != says {
			t.Errorf("%q: %q", wrong, got)
		}
	}
	if got := options.Meant("any", nil); got != "" {
		t.Error(got)
	}
}

func TestHelp(t *testing.T) {
	const want = `      --server-url=URL   The server. Default: none ($FIRST, $SECOND).
      --max-rooms=N      Rooms, of the kind that is described at length.
                         Default: 7 ($ROOMS).
      --port=N           Port.
  -r, --read-only        Read ($READ_ONLY).
      --names=NAME       Names ($NAMES).
`
	if got := options.Help(options.New(&target{})); got != want {
		t.Errorf("the help is\n%s", got)
	}
}
