package kernels

import "encoding/json"

// handle handles a request on shell and reports whether the process continues.
func (p *process) handle(r *request) bool {
	p.publish("status", status("busy"), r.header)
	if r.kind == "execute_request" {
		return p.execute(r)
	}
	p.answer(r)
	lives := true
	if r.kind == "shutdown_request" {
		p.shutdown(r)
		lives = false
	}
	p.publish("status", status("idle"), r.header)
	return lives
}

// control answers a request on the control channel, without waiting for running code.
func (p *process) control(r *request) {
	p.publish("status", status("busy"), r.header)
	switch r.kind {
	case "interrupt_request":
		p.interp.Interrupt()
		p.reply(r, "interrupt_reply", map[string]string{"status": "ok"})
	case "shutdown_request":
		p.shutdown(r)
		p.publish("status", status("idle"), r.header)
		p.kernel.lost(p)
		return
	case "kernel_info_request", "comm_info_request", "connect_request":
		p.answer(r)
	}
	p.publish("status", status("idle"), r.header)
}

func (p *process) shutdown(r *request) {
	var c struct {
		Restart bool `json:"restart"`
	}
	_ = json.Unmarshal(r.content, &c) // restart is false if missing
	reply := struct {
		Status  string `json:"status"`
		Restart bool   `json:"restart"`
	}{"ok", c.Restart}
	p.publish("shutdown_reply", raw(reply), r.header)
	p.reply(r, "shutdown_reply", reply)
}

// answer replies to a request that runs no code. A request of an unknown kind gets no reply.
func (p *process) answer(r *request) {
	switch r.kind {
	case "kernel_info_request":
		p.reply(r, "kernel_info_reply", kernelInfo(p.kernel.language()))
	case "connect_request":
		p.reply(r, "connect_reply", map[string]string{"status": "ok"})
	case "comm_info_request":
		p.reply(r, "comm_info_reply", map[string]any{"comms": map[string]any{}, "status": "ok"})
	}
}

// info is the content of a kernel_info_reply.
type info struct {
	Status         string         `json:"status"`
	Protocol       string         `json:"protocol_version"`
	Implementation string         `json:"implementation"`
	Version        string         `json:"implementation_version"`
	Language       map[string]any `json:"language_info"`
	Banner         string         `json:"banner"`
	Links          []any          `json:"help_links"`
	Features       []string       `json:"supported_features"`
}

func kernelInfo(language string) info {
	if language == "bash" {
		return info{
			Status: "ok", Protocol: "5.3", Implementation: "bash_kernel", Version: "0.10.0", Links: []any{}, Features: []string{},
			Language: map[string]any{"name": "bash", "codemirror_mode": "shell", "mimetype": "text/x-sh", "file_extension": ".sh"},
			Banner:   "A small Bash for tests",
		}
	}
	return info{
		Status: "ok", Protocol: "5.3", Implementation: "ipython", Version: "9.18.1",
		Language: map[string]any{
			"name": "python", "version": "3.13.0", "mimetype": "text/x-python", "codemirror_mode": map[string]any{"name": "ipython", "version": 3},
			"pygments_lexer": "ipython3", "nbconvert_exporter": "python", "file_extension": ".py",
		},
		Banner: "A small Python for tests", Links: []any{}, Features: []string{},
	}
}
