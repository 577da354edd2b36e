package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/tools/serve/jsonrpc"
	"github.com/nbduet/nbduet/tools/tool"
)

// maxMessage bounds one MCP message, in bytes, because mcp-go's reader collects a line of any length.
const maxMessage = 64 << 20

// stdioSession is mcp-go's name for the session over standard input and output.
const stdioSession = "stdio"

// input is standard input as mcp-go needs it: one message a line, of limited length, and only messages that mcp-go answers
// as JSON-RPC requires. It signals when it has ended.
type input struct {
	lines *bufio.Reader
	most  int // bytes of a message
	out   *output
	calls *tool.Calls
	serve func(call []byte, id json.RawMessage) // takes tool calls, if set

	rest  []byte // of the current line
	err   error  // returned after rest
	once  sync.Once
	ended chan struct{} // closed at the end, or the first error
}

func newInput(r io.Reader, out *output, calls *tool.Calls) *input {
	return &input{lines: bufio.NewReaderSize(r, 64<<10), most: maxMessage, out: out, calls: calls, ended: make(chan struct{})}
}

// Read implements io.Reader. It is not safe for concurrent use.
func (in *input) Read(p []byte) (int, error) {
	for len(in.rest) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		var line []byte
		if in.err = in.out.clear(); in.err == nil {
			line, in.err = in.next()
		}
		if in.err != nil {
			in.once.Do(func() { close(in.ended) })
		}
		in.rest = in.pass(line)
	}
	n := copy(p, in.rest)
	if in.rest = in.rest[n:]; len(in.rest) == 0 {
		in.rest = nil // it may have been long
	}
	return n, nil
}

// next reads a line, with its end. If a line is too long, it drops the text, refuses the message, and returns an empty line.
func (in *input) next() (line []byte, err error) {
	var scan *jsonrpc.IDScan
	for {
		piece, err := in.lines.ReadSlice('\n')
		switch {
		case scan != nil:
			_, _ = scan.Write(piece) // never fails
		case len(line)+len(piece) > in.most:
			scan = &jsonrpc.IDScan{}
			_, _ = scan.Write(line)
			_, _ = scan.Write(piece)
			line = nil
		default:
			line = append(line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if scan != nil {
			in.refuse(scan.ID(), fmt.Sprintf("the message is longer than %d bytes", in.most))
		}
		return line, err
	}
}

// pass returns the part of a line that mcp-go gets.
func (in *input) pass(line []byte) []byte {
	m, ok := jsonrpc.Read(line)
	if !ok {
		return line // mcp-go reports the error
	}
	if why, id := m.Wrong(); why != "" {
		in.refuse(id, why)
		return nil
	}
	if m.Answer() {
		return append(m.Quiet(), '\n')
	}
	text := in.out.ids.In(line, m)
	if m.Is(mcp.MethodNotificationCancelled) {
		if c, ok := jsonrpc.ReadCancellation(text); ok {
			in.calls.Cancel(stdioSession, c.ID, c.Reason)
		}
	}
	if in.serve != nil && m.ID != nil && m.Is(mcp.MethodToolsCall) {
		in.serve(text, m.ID)
		return nil
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return text
}

// refuse answers a message that is not passed to mcp-go.
func (in *input) refuse(id []byte, why string) {
	_, _ = in.out.Write(append(jsonrpc.Failure(id, mcp.INVALID_REQUEST, why), '\n')) // a disconnected client needs no answer
}
