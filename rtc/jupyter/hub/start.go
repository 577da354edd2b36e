package hub

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrNoScope means that the token lacks the scope for the request.
var ErrNoScope = errors.New("the token lacks the scope")

const (
	// lookEvery is the interval of requests for the state of a starting server.
	lookEvery = time.Second
	// maxEvent bounds one line of a hub's progress events, in bytes.
	maxEvent = 64 << 10
)

// StartServer makes the hub start a stopped server, and waits until it runs, or ctx ends. tell receives the progress
// in percent and the hub's message, if the token's scopes ([Read]) allow it; it must not block. The error matches
// [ErrNoScope] if the token may not start the server.
func (c Client) StartServer(ctx context.Context, p Place, tell func(percent float64, message string)) error {
	for {
		err := c.ask(ctx, http.MethodPost, p.api(""), nil)
		switch status(err) {
		case http.StatusForbidden:
			return fmt.Errorf("%w %s", ErrNoScope, Start)
		case http.StatusTooManyRequests, http.StatusServiceUnavailable: // the hub is starting too many servers
			tell(0, "JupyterHub is starting too many servers; waiting for a turn")
			if !sleep(ctx, lookEvery) {
				return ctx.Err()
			}
			continue
		case http.StatusBadRequest: // it runs, or is being started or stopped
		default:
			if err != nil {
				return fmt.Errorf("have JupyterHub start %s: %w", p, err)
			}
		}
		if ends, err := c.wait(ctx, p, tell); !ends {
			return err
		}
		tell(0, "JupyterHub is still stopping "+p.String())
		if !sleep(ctx, lookEvery) {
			return ctx.Err()
		}
	}
}

// wait waits until a server runs. ends reports that it is still being stopped, so that it cannot be started yet.
func (c Client) wait(ctx context.Context, p Place, tell func(float64, string)) (ends bool, err error) {
	for {
		if err := c.follow(ctx, p, tell); err != nil {
			return false, err
		}
		state, err := c.StateOf(ctx, p)
		switch {
		case err != nil:
			return false, err
		case state.Runs, !state.Known: // if the state is not readable, the caller tries the server
			return false, nil
		case state.Ends:
			return true, nil
		case !state.Starts:
			return false, fmt.Errorf("JupyterHub could not start %s: its log says why", p)
		}
		if !sleep(ctx, lookEvery) {
			return false, ctx.Err()
		}
	}
}

// follow passes on the hub's progress events until the start has ended. The error is that of a failed start, or
// ctx's.
func (c Client) follow(ctx context.Context, p Place, tell func(float64, string)) error {
	resp, err := c.send(ctx, http.MethodGet, p.api("/progress"), "text/event-stream")
	if err != nil {
		return fmt.Errorf("follow the start of %s: %w", p, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil // the token's scopes do not include it, or the start is over
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event struct {
			Progress float64 `json:"progress"`
			Message  string  `json:"message"`
			Ready    bool    `json:"ready"`
			Failed   bool    `json:"failed"`
		}
		if json.Unmarshal([]byte(data), &event) != nil {
			continue
		}
		message := strings.Join(strings.Fields(event.Message), " ")
		message = message[:min(len(message), 300)]
		switch {
		case event.Failed:
			return fmt.Errorf("JupyterHub could not start %s: %s", p, message)
		case event.Ready:
			return nil
		}
		tell(event.Progress, message)
	}
	return ctx.Err() // a broken stream shows nothing; wait asks for the state
}

// sleep waits for d; it returns false if ctx ends before that.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// A Reason is why a hub, or a server behind it, refuses a token.
type Reason int

// The reasons.
const (
	Unclear      Reason = iota // the hub does not answer, or accepts the token
	UnknownToken               // the token is wrong, has expired, was revoked, or its user was removed
	NoScope                    // it lacks the scope Access for this server
	Stopped                    // the server does not run
	Starting                   // it is starting
)

// A Verdict is a reason with details.
type Verdict struct {
	Reason Reason
	Holder Holder
	// CanStart is set if the token may start the server.
	CanStart bool
}

// Why asks the hub why one of its servers refused a token, or did not answer. stopped is set if the answer was one
// that a hub gives for stopped servers, among others.
func (c Client) Why(ctx context.Context, p Place, stopped bool) Verdict {
	h, err := c.Who(ctx, p.Hub)
	switch {
	case errors.Is(err, ErrUnknownToken):
		return Verdict{Reason: UnknownToken}
	case err != nil:
		return Verdict{}
	case !h.May(Access, p):
		return Verdict{Reason: NoScope, Holder: h}
	case !stopped:
		return Verdict{Holder: h}
	}
	v := Verdict{Reason: Stopped, Holder: h, CanStart: h.May(Start, p)}
	switch state, err := c.StateOf(ctx, p); {
	case err != nil, !state.Known:
	case state.Starts:
		v.Reason = Starting
	case state.Runs: // it has started meanwhile
		v.Reason = Unclear
	}
	return v
}

// An Answerer is the server that has answered a request.
type Answerer int

// The possible answerers.
const (
	Other      Answerer = iota // or unknown
	UserServer                 // a user's server
	TheHub                     // the hub itself
)

// WhoAnswered determines the answerer from a header that hubs and their servers send, and from the hub's addresses.
func WhoAnswered(resp *http.Response) Answerer {
	switch {
	case resp.Header.Get("X-JupyterHub-Version") == "":
		return Other
	case resp.Request != nil && strings.Contains(resp.Request.URL.Path, "/hub/user/"):
		return TheHub
	}
	return UserServer
}

const (
	// askFor bounds the request to a hub why it refuses a token.
	askFor = 3 * time.Second
	// verdictStands is how long a verdict is reused: rooms and kernels retry often.
	verdictStands = time.Second
)

// Verdicts caches a hub's last answer to [Client.Why]. The zero value is ready to use.
type Verdicts struct {
	turn  sync.Mutex // held during a request: others wait for the answer
	at    time.Time
	token string
	last  Verdict
}

// Ask is [Client.Why] with a timeout of a few seconds; it makes at most one request per second.
func (v *Verdicts) Ask(ctx context.Context, c Client, p Place, stopped bool) Verdict {
	v.turn.Lock()
	defer v.turn.Unlock()
	if v.token == c.Token && time.Since(v.at) < verdictStands && (!stopped || v.last.Reason != Unclear) {
		return v.last
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	v.last, v.token = c.Why(ctx, p, stopped), c.Token
	v.at = time.Now()
	return v.last
}
