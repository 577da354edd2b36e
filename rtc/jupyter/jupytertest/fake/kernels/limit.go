package kernels

import (
	"fmt"
	"time"
)

// The limits of the iopub messages for one socket, in a time window.
const (
	messageLimit = 1000      // per second
	dataLimit    = 1_000_000 // bytes of streams per second
	limitWindow  = 3 * time.Second
)

// limiter counts the messages and bytes sent to a socket.
type limiter struct {
	messages, data   float64 // the limits per second
	count, size      int
	counted          []countedMessage
	tooMany, tooMuch bool
}

type countedMessage struct {
	until time.Time
	size  int
}

// drop reports whether to drop a message, and returns a notice for the client in its place, "" for none.
func (l *limiter) drop(m *message) (drop bool, notice string) {
	if m.channel != "iopub" {
		return false, ""
	}
	if m.idle {
		*l = limiter{messages: l.messages, data: l.data}
	}
	if m.kind == "status" || m.kind == "comm_open" || m.kind == "execute_input" {
		return false, ""
	}
	now := time.Now()
	for len(l.counted) > 0 && !now.Before(l.counted[0].until) {
		l.size -= l.counted[0].size
		l.count--
		l.counted = l.counted[1:]
	}
	size := 0
	if m.kind == "stream" {
		size = m.size()
	}
	l.count++
	l.size += size
	messages, data := float64(l.count)/limitWindow.Seconds(), float64(l.size)/limitWindow.Seconds()
	switch {
	case messages > l.messages && !l.tooMany:
		l.tooMany = true
		notice = exceeded("message", "msg", "msgs", l.messages)
	case messages < 0.8*l.messages:
		l.tooMany = false
	}
	switch {
	case data > l.data && !l.tooMuch:
		l.tooMuch = true
		notice += exceeded("data", "data", "bytes", l.data)
	case data < 0.8*l.data:
		l.tooMuch = false
	}
	if l.tooMany || l.tooMuch {
		l.count--
		l.size -= size
		return true, notice
	}
	l.counted = append(l.counted, countedMessage{now.Add(limitWindow), size})
	return false, ""
}

func exceeded(what, option, unit string, limit float64) string {
	return fmt.Sprintf(`IOPub %s rate exceeded.
The Jupyter server will temporarily stop sending output
to the client in order to avoid crashing it.
To change this limit, set the config variable
%s--ServerApp.iopub_%s_rate_limit%[2]s.

Current values:
ServerApp.iopub_%[3]s_rate_limit=%.1f (%s/sec)
ServerApp.rate_limit_window=%.1f (secs)

`, what, "`", option, limit, unit, limitWindow.Seconds())
}
