package render

import (
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/ydoc"
)

// Outputs that a client has seen are not shown again: whole ones, and the whole lines of printed text that grows.
func TestSince(t *testing.T) {
	stream := func(text string) ydoc.Output {
		return ydoc.Output{"output_type": "stream", "name": "stdout", "text": text}
	}
	display := func(text string) ydoc.Output {
		return ydoc.Output{"output_type": "display_data", "data": map[string]any{"text/plain": text}, "metadata": map[string]any{}}
	}
	picture := func(data string) ydoc.Output {
		return ydoc.Output{"output_type": "display_data", "data": map[string]any{"text/plain": "<Figure>", "image/png": data}, "metadata": map[string]any{}}
	}
	list := func(o ...ydoc.Output) []ydoc.Output { return o }
	for name, c := range map[string]struct {
		before, now []ydoc.Output
		want        []string // texts
		seen        int
	}{
		"nothing seen":           {nil, list(stream("a\n")), []string{"a\n"}, 0},
		"nothing new":            {list(stream("a\n")), list(stream("a\n")), nil, 2},
		"further lines":          {list(stream("a\n")), list(stream("a\nb\n")), []string{"b\n"}, 2},
		"a line goes on":         {list(stream("a\n10%")), list(stream("a\n20%")), []string{"20%"}, 2},
		"one line goes on":       {list(stream("10%")), list(stream("20%")), []string{"20%"}, 0},
		"a further output":       {list(stream("a\n")), list(stream("a\n"), display("x")), []string{"x"}, 2},
		"lines and an output":    {list(stream("a\n")), list(stream("a\nb\n"), display("x")), []string{"b\n", "x"}, 2},
		"a changed display":      {list(display("x"), stream("a\n")), list(display("y"), stream("a\n")), []string{"y", "a\n"}, 0},
		"a changed last display": {list(stream("a\n"), display("x")), list(stream("a\n"), display("y")), []string{"y"}, 2},
		"a changed picture":      {list(picture("AAAA")), list(picture("BBBB")), []string{"<Figure>"}, 0},
		"cleared":                {list(stream("a\n"), stream("b\n")), nil, nil, 0},
		"cleared and new":        {list(stream("a\nb\n")), list(stream("c\n")), []string{"c\n"}, 0},
	} {
		rest, seen := ContentsOf(c.now).Since(ContentsOf(c.before).All())
		var got []string
		for _, one := range rest.Each {
			main, _ := one.Main()
			got = append(got, main)
		}
		test.Eq(t, c.want, got, test.Sprint(name))
		test.Eq(t, c.seen, seen, test.Sprint(name))
	}
}
