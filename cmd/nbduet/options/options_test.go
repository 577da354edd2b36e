package options_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/cmd/nbduet/options"
)

type target struct {
	ServerURL string   `env:"FIRST,SECOND" default:"none" placeholder:"URL" help:"The server. Default: ${default}."`
	MaxRooms  int      `env:"ROOMS" default:"7" placeholder:"N" help:"Rooms of ${kind}."`
	Odd       string   `name:"other-name" placeholder:"X" help:"X."`
	More      embedded `embed:""`
}

type embedded struct {
	ReadOnly bool     `short:"r" env:"READ_ONLY" help:"Read."`
	Names    []string `env:"NAMES" placeholder:"NAME" help:"Names."`
}

func TestParse(t *testing.T) {
	usual := target{ServerURL: "none", MaxRooms: 7}
	with := func(change func(*target)) target {
		v := usual
		change(&v)
		return v
	}
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
		{"--server-url c --max-rooms -3 --other-name=a=b", nil, with(func(v *target) { v.ServerURL, v.MaxRooms, v.Odd = "c", -3, "a=b" }), ""},
		{"--server-url= ", map[string]string{"FIRST": "a"}, with(func(v *target) { v.ServerURL = "" }), ""},
		{"start --read-only now", nil, with(func(v *target) { v.More.ReadOnly = true }), "start now"},
		{"-r", nil, with(func(v *target) { v.More.ReadOnly = true }), ""},
		{"--read-only=false", map[string]string{"READ_ONLY": "1"}, usual, ""},
		{"--names=a,b --names c", map[string]string{"NAMES": "x"}, with(func(v *target) { v.More.Names = []string{"a", "b", "c"} }), ""},
		{"", map[string]string{"NAMES": "x, y,"}, with(func(v *target) { v.More.Names = []string{"x", "y"} }), ""},
		{"-- --read-only", nil, usual, "--read-only"},
		{"-", nil, usual, "-"},
	} {
		var v target
		words, err := options.New(&v, nil).Parse(strings.Fields(c.args), func(name string) string { return c.env[name] })
		if err != nil || !reflect.DeepEqual(v, c.want) || strings.Join(words, " ") != c.words {
			t.Errorf("%q with %v: %+v, %q, %v", c.args, c.env, v, words, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ args, rooms, says string }{
		{"--max-room=1", "", `unknown flag --max-room, did you mean "--max-rooms"?`},
		{"--quite-different", "", "unknown flag --quite-different"},
		{"-x", "", "unknown flag -x"},
		{"--max-rooms", "", "--max-rooms: it needs a value: --max-rooms=N"},
		{"--max-rooms --read-only", "", "--max-rooms: it needs a value: --max-rooms=N"},
		{"--max-rooms=many", "", `--max-rooms: "many" is not a whole number`},
		{"", "many", `--max-rooms: "many" is not a whole number (from ROOMS)`},
		{"--read-only=perhaps", "", `--read-only: "perhaps" is neither true nor false`},
	} {
		_, err := options.New(&target{}, nil).Parse(strings.Fields(c.args), func(name string) string {
			return map[string]string{"ROOMS": c.rooms}[name]
		})
		if err == nil || err.Error() != c.says {
			t.Errorf("%q: %v, want %s", c.args, err, c.says)
		}
	}
	if err := options.Unexpected("starts", []string{"start", "health"}); err.Error() != `unexpected argument starts, did you mean "start"?` {
		t.Error(err)
	}
}

func TestHelp(t *testing.T) {
	const want = `      --server-url=URL           The server. Default: none ($FIRST, $SECOND).
      --max-rooms=N              Rooms of the kind that is described at such
                                 length that a line cannot hold it ($ROOMS).
      --other-name=X             X.
  -r, --read-only                Read ($READ_ONLY).
      --names=NAME               Names ($NAMES).
`
	words := map[string]string{"kind": "the kind that is described at such length that a line cannot hold it"}
	if got := options.New(&target{}, words).Help(); got != want {
		t.Errorf("the help is\n%s", got)
	}
}
