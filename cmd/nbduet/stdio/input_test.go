package stdio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/tools/tool"
)

// newTestInput returns an input with messages of at most that many bytes, and a function that ends it and returns its
// refusals.
func newTestInput(t *testing.T, r io.Reader, most int) (in *input, refused func() string) {
	t.Helper()
	var written bytes.Buffer
	out := newOutput(&written)
	end := sync.OnceFunc(func() {
		if err := out.end(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	in = newInput(r, out, &tool.Calls{})
	in.most = most
	return in, func() string {
		end()
		return written.String()
	}
}

// A message that is too long is refused under its id, and the next ones are read.
func TestRefusesAnEndlessMessage(t *testing.T) {
	const most = 200 << 10 // several pieces
	long := strings.Repeat(`\"id\":1,{[`, most/10)
	want, lines := "", ""
	for message, id := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":5,"a":"%s"}}`:                   "7",
		`{"jsonrpc":"2.0","method":"m","params":{"id":5,"a":["%s",{"id":1}]}, "id" : 8.50 }`: "8.50",
		`{"params":{"a":"%s"},"id":"a\"b"}`:                                                  `"a\"b"`,
		`{"params":{"a":"%s"},"i\u0064":9007199254740993}`:                                   "9007199254740993",
		`{"params":{"a":"%s"},"id":{"id":3}}`:                                                "null",
		`{"params":{"a":"%s"},"id":null}`:                                                    "null",
		`{"id":"%s"}`:                                                                        "null",
		`[{"id":1,"a":"%s"}]`:                                                                "null",
		`%s`:                                                                                 "null",
	} {
		lines += fmt.Sprintf(message, long) + "\n" + `{"next":1}` + "\n"
		want += fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"the message is longer than %d bytes"}}`, id, most) + "\n"
	}
	lines = strings.ReplaceAll(lines, `{"next":1}`, `"x"`) + `"end"`
	in, refused := newTestInput(t, strings.NewReader(lines), most)
	got, err := io.ReadAll(in)
	must.NoError(t, err, must.Sprint("passed on"))
	test.Eq(t, strings.Repeat("\"x\"\n", 9)+`"end"`, string(got), test.Sprint("passed on"))
	if got := refused(); got != want {
		t.Errorf("refused: %s\nwant: %s", got, want)
	}
	<-in.ended
	in, _ = newTestInput(t, io.LimitReader(endless{}, 3*most), most)
	n, err := io.Copy(io.Discard, in)
	test.Eq(t, 0, n)
	test.NoError(t, err)
	<-in.ended
	if in = newInput(nil, nil, nil); in.most != maxMessage {
		t.Error(in.most)
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
