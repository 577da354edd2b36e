package kernels

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest/fake/cells"
)

// flushInterval is the delay of text that a cell does not flush.
const flushInterval = 200 * time.Millisecond

// executeRequest is the content of an execute_request.
type executeRequest struct {
	Code         string            `json:"code"`
	Silent       bool              `json:"silent"`
	StoreHistory *bool             `json:"store_history"`
	Expressions  map[string]string `json:"user_expressions"`
	AllowStdin   bool              `json:"allow_stdin"`
	StopOnError  *bool             `json:"stop_on_error"`
}

type executeMetadata struct {
	Started      string `json:"started"`
	Dependencies bool   `json:"dependencies_met"`
	Engine       string `json:"engine"`
	Status       string `json:"status"`
}

type executeOK struct {
	Status      string                     `json:"status"`
	Count       int                        `json:"execution_count"`
	Expressions map[string]json.RawMessage `json:"user_expressions"`
	Payload     []json.RawMessage          `json:"payload"`
}

type executeInput struct {
	Code  string `json:"code"`
	Count int    `json:"execution_count"`
}

type executeError struct {
	Status      string            `json:"status"`
	Traceback   []string          `json:"traceback"`
	Name        string            `json:"ename"`
	Value       string            `json:"evalue"`
	Engine      engineInfo        `json:"engine_info"`
	Count       int               `json:"execution_count"`
	Expressions struct{}          `json:"user_expressions"`
	Payload     []json.RawMessage `json:"payload"`
}

type engineInfo struct {
	UUID   string `json:"engine_uuid"`
	ID     int    `json:"engine_id"`
	Method string `json:"method"`
}

// execute runs a cell and reports whether the process continues.
func (p *process) execute(r *request) bool {
	meta := executeMetadata{stamp(time.Now()), true, p.engine, "ok"}
	if p.isAborted(r) {
		meta.Status = "aborted"
		p.executeReply(r, map[string]string{"status": "aborted"}, meta)
		p.publish("status", status("idle"), r.header)
		return true
	}
	var c executeRequest
	if json.Unmarshal(r.content, &c) != nil { // ipykernel logs it
		p.publish("status", status("idle"), r.header)
		return true
	}
	out := p.runCell(r, c)
	if out.Killed {
		return false
	}
	if !p.isRetired() {
		p.executeReply(r, p.replyContent(out, &meta), meta)
	}
	if out.Error != nil && !c.Silent && (c.StopOnError == nil || *c.StopOnError) {
		p.abort()
	}
	p.publish("status", status("idle"), r.header)
	return !out.Exits
}

func (p *process) runCell(r *request, c executeRequest) cells.Outcome {
	console := &console{process: p, request: r, allowStdin: c.AllowStdin, text: map[string]*strings.Builder{}, timers: map[string]*time.Timer{}}
	store := !c.Silent
	if c.StoreHistory != nil {
		store = store && *c.StoreHistory
	}
	defer console.flush() // threads of the cell may write more
	begins := func() {
		if !c.Silent {
			p.publish("execute_input", raw(executeInput{c.Code, p.interp.Count()}), r.header)
		}
	}
	return p.interp.Run(p.ctx, cells.Request{Code: c.Code, Silent: c.Silent, StoreHistory: store, Expressions: c.Expressions, Begins: begins}, console)
}

func (p *process) replyContent(out cells.Outcome, meta *executeMetadata) any {
	payload := append([]json.RawMessage{}, out.Payload...)
	if out.Error == nil {
		return executeOK{"ok", out.Count, out.Expressions, payload}
	}
	meta.Status = "error"
	return executeError{
		Status: "error", Traceback: append([]string{}, out.Error.Traceback...), Name: out.Error.Name, Value: out.Error.Value,
		Engine: engineInfo{p.engine, -1, "execute"}, Count: out.Count, Payload: payload,
	}
}

func (p *process) executeReply(r *request, content any, meta executeMetadata) {
	m := p.message(r.channel, "execute_reply", raw(content), r.header)
	m.metadata = raw(meta)
	p.kernel.reply(p, r.session, m)
}

// console sends the output of a cell.
type console struct {
	process    *process
	request    *request
	allowStdin bool

	mu     sync.Mutex
	text   map[string]*strings.Builder // unsent text
	timers map[string]*time.Timer
}

// Stream buffers text until it is flushed, or flushInterval has passed.
func (c *console) Stream(name, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text[name] == nil {
		c.text[name] = &strings.Builder{}
	}
	c.text[name].WriteString(text)
	if c.timers[name] == nil {
		c.timers[name] = time.AfterFunc(flushInterval, func() { c.Flush(name) })
	}
}

// Flush sends the buffered text of a stream.
func (c *console) Flush(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.timers[name]; t != nil {
		t.Stop()
		c.timers[name] = nil
	}
	if c.text[name] == nil || c.text[name].Len() == 0 {
		return
	}
	text := c.text[name].String()
	c.text[name] = nil
	c.process.publish("stream", raw(struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}{name, text}), c.request.header)
}

func (c *console) flush() {
	c.Flush("stdout")
	c.Flush("stderr")
}

// Display sends a display.
func (c *console) Display(d cells.Display) {
	kind := "display_data"
	if d.Update {
		kind = "update_display_data"
	}
	c.process.publish(kind, raw(struct {
		Data      json.RawMessage `json:"data"`
		Metadata  json.RawMessage `json:"metadata"`
		Transient json.RawMessage `json:"transient"`
	}{d.Data, d.Metadata, d.Transient}), c.request.header)
}

// ClearOutput sends a request to clear the outputs.
func (c *console) ClearOutput(wait bool) {
	c.process.publish("clear_output", raw(map[string]bool{"wait": wait}), c.request.header)
}

// Result sends the value of the cell.
func (c *console) Result(data, metadata json.RawMessage) {
	c.process.publish("execute_result", raw(struct {
		Data     json.RawMessage `json:"data"`
		Metadata json.RawMessage `json:"metadata"`
		Count    int             `json:"execution_count"`
	}{data, metadata, c.process.interp.Count() - 1}), c.request.header)
}

// Error sends an exception.
func (c *console) Error(e cells.Error) {
	c.flush()
	c.process.publish("error", raw(struct {
		Traceback []string `json:"traceback"`
		Name      string   `json:"ename"`
		Value     string   `json:"evalue"`
	}{e.Traceback, e.Name, e.Value}), c.request.header)
}

// Comm sends a message of a comm.
func (c *console) Comm(kind string, content json.RawMessage, buffers [][]byte) {
	m := c.process.message("iopub", kind, content, c.request.header)
	m.buffers = buffers
	c.process.kernel.publish(c.process, m)
}

// Input asks the client that sent the request.
func (c *console) Input(ctx context.Context, prompt string, password bool) (string, error) {
	if !c.allowStdin {
		return "", cells.ErrNoStdin
	}
	p := c.process
	for len(p.answers) > 0 {
		<-p.answers // to an earlier question
	}
	p.kernel.reply(p, c.request.session, p.message("stdin", "input_request", raw(struct {
		Prompt   string `json:"prompt"`
		Password bool   `json:"password"`
	}{prompt, password}), c.request.header))
	select {
	case line := <-p.answers:
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
