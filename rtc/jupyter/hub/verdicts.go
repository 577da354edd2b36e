package hub

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// An Answerer is who has answered a request.
type Answerer int

// Those who may have answered.
const (
	Other      Answerer = iota // or that is not known
	UserServer                 // a user's server
	TheHub                     // the hub itself
)

// WhoAnswered tells it by a header that hubs and their servers send, and by the hub's addresses.
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
	// askFor bounds the question to a hub why it refuses a request.
	askFor = 3 * time.Second
	// verdictStands is how long its answer is good for further requests: rooms and kernels try again and again.
	verdictStands = time.Second
)

// Verdicts keeps a hub's last answer to [Client.Why]. The zero value is ready for use.
type Verdicts struct {
	turn  sync.Mutex // held while the hub is asked: others wait for the answer
	at    time.Time
	token string
	last  Verdict
}

// Ask is [Client.Why], which it asks for some seconds at most, and not again within a second.
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
