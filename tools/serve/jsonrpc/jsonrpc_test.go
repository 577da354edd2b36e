package jsonrpc

import (
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// A message is changed only if mcp-go would change its id.
func TestIDs(t *testing.T) {
	x := NewIDs()
	in := func(text string) string {
		m, ok := Read([]byte(text))
		if !ok {
			t.Fatalf("cannot read %s", text)
		}
		return string(x.In([]byte(text), m))
	}
	for _, same := range []string{
		`{"id":1,"method":"m"}`, `{"id":"a","method":"m"}`, `{"method":"m","params":{"requestId":1.0}}`,
		`{"method":"notifications/cancelled","params":{"requestId":1}}`, `{"method":"notifications/cancelled","params":5}`, `{"id":1.0,"result":{}}`,
	} {
		if got := in(same); got != same {
			t.Errorf("%s goes in as %s", same, got)
		}
	}
	if text := `{"id":"` + x.mark + `"}`; string(x.Out([]byte(text))) != text {
		t.Error("what did not come in is changed")
	}
	// A request and its cancellation have the same id.
	number := func(text string) string {
		_, id, _ := strings.Cut(text, x.mark)
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	asked, cancelled := in(`{"id":1.0,"method":"m"}`), in(`{"method":"notifications/cancelled","params":{"reason":"r","requestId": 1.0 }}`)
	n := number(asked)
	test.NotEq(t, "", n, test.Sprint(asked))
	test.Eq(t, n, number(cancelled), test.Sprint(asked))
	answer := `{"id":"` + x.mark + number(asked) + `","a":"\"` + x.mark + number(asked) + `\""}`
	if got := string(x.Out([]byte(answer))); !strings.HasPrefix(got, `{"id":1.0,"a":"\"id-`) {
		t.Errorf("comes out as %s", got)
	}
	// A client that sends such a string by itself gets it back.
	if got := string(x.Out([]byte(in(`{"id":"` + x.mark + `MQ","method":"m"}`)))); !strings.Contains(got, `"id":"`+x.mark+`MQ"`) {
		t.Errorf("comes out as %s", got)
	}
	broken := `{"id":"` + x.mark + `!","a":"` + x.mark
	if got := string(x.Out([]byte(broken))); got != broken {
		t.Errorf("comes out as %s", got)
	}
}

// An error answer stays one, and has a result, which makes mcp-go drop it.
func TestQuiet(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":7,"error":{"code":1}}`: `{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1}}`,
		`{"id":7,"result":null}`:      `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"result":{"a":1}}`:          `{"jsonrpc":"2.0","id":null,"result":{"a":1}}`,
	} {
		m, ok := Read([]byte(text))
		got := string(m.Quiet())
		must.True(t, ok, must.Sprint(text))
		test.True(t, m.Answer(), test.Sprint(text))
		test.Eq(t, want, got, test.Sprint(text))
	}
}
