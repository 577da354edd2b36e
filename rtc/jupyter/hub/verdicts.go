package hub

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

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
