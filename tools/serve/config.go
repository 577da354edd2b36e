package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/tools/tool"
)

// Config configures a Server. MCP and Clients are required, and Tokens or OIDC.
type Config struct {
	// MCP is the result of tools.New with the same Clients.
	MCP     *server.MCPServer
	Clients *tool.Clients
	// Tokens are the accepted tokens. Clients with different tokens share only documents.
	Tokens []string
	// UserHeader is a header in which a trusted program in front of this one, which has one of Tokens, names the user of a
	// request. Each user is a separate principal. "" means none.
	UserHeader string
	// OIDC accepts the tokens of an issuer in addition to Tokens; nil means none.
	OIDC *OIDC
	// Only is the name of the one [Entrant] whose requests are served; Tokens and OIDC are not used then. "" means none.
	Only string
	// PublicURL is the server's address for clients outside: "https://nb.example.org", or with a path if a proxy adds one.
	// OIDC's metadata and audiences are derived from it. "" means the address in each request.
	PublicURL string
	// AllowedHosts are the host names that requests may use, in addition to the loopback's names and the connection's
	// address: "nb.example.org", or "nb.example.org:8443" for one port only. "*" means all.
	AllowedHosts []string
	// AllowedOrigins are the origins of web pages that may send requests: "https://app.example.org". "*" means all.
	AllowedOrigins []string
	// ClientTimeout is how long a client may be silent, without an open call or stream, before its session ends; 0:
	// [DefaultClientTimeout].
	ClientTimeout time.Duration
	Limits        Limits
	// CertFile and KeyFile are the PEM files of a TLS certificate and its key; without them the server uses plain HTTP.
	CertFile, KeyFile string
	// Metrics are served at /metrics; nil means none.
	Metrics *Metrics
	// Logger gets a debug line for each request; nil discards them.
	Logger *slog.Logger

	now func() time.Time // the clock for the expiry of tokens; nil means time.Now
}

// DefaultClientTimeout is the default of Config.ClientTimeout.
const DefaultClientTimeout = time.Hour

// Limits bound the resources of clients; zero fields mean the defaults.
type Limits struct {
	Body        int64         // bytes of a request's body; 16 MB
	Header      int           // bytes of a request's header; 32 kB
	Requests    int           // served at once, without streams, half of them for one caller; 512
	Bytes       int64         // of bodies above 64 kB at once, half of them for one caller; 32 MB
	PerClient   int           // requests of one MCP session at once; 200
	Unread      int           // bytes of unread messages for one WebSocket client; 16 MB
	Streams     int           // streams of one MCP session at once; 8
	Clients     int           // MCP sessions at once, and as many principals; 1000
	Connections int           // open at once; 4096
	HeaderTime  time.Duration // for a request's header to arrive; 10 s
	BodyTime    time.Duration // for a request's body to arrive; 60 s
	RoomTime    time.Duration // wait until a long body may be read; 10 s
	WriteTime   time.Duration // for the client to read a write; 30 s
	IdleTime    time.Duration // between two requests on a connection; 120 s
	QuietTime   time.Duration // of silence on a stream before a comment is sent, and between pings; 25 s
	LostTime    time.Duration // without an answer to a ping after which a WebSocket's client is gone; 60 s
	DrainTime   time.Duration // for requests to end when the server ends; 1 s
}

func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(l.Body, 16<<20)
	l.Header = cmp.Or(l.Header, 32<<10)
	l.Requests = cmp.Or(l.Requests, 512)
	l.Bytes = cmp.Or(l.Bytes, 32<<20)
	l.PerClient = cmp.Or(l.PerClient, 200)
	l.Unread = cmp.Or(l.Unread, 16<<20)
	l.Streams = cmp.Or(l.Streams, 8)
	l.Clients = cmp.Or(l.Clients, 1000)
	l.Connections = cmp.Or(l.Connections, 4096)
	l.HeaderTime = cmp.Or(l.HeaderTime, 10*time.Second)
	l.BodyTime = cmp.Or(l.BodyTime, time.Minute)
	l.RoomTime = cmp.Or(l.RoomTime, 10*time.Second)
	l.WriteTime = cmp.Or(l.WriteTime, 30*time.Second)
	l.IdleTime = cmp.Or(l.IdleTime, 2*time.Minute)
	l.QuietTime = cmp.Or(l.QuietTime, 25*time.Second)
	l.LostTime = cmp.Or(l.LostTime, time.Minute)
	l.DrainTime = cmp.Or(l.DrainTime, time.Second)
	return l
}

func (cfg Config) check() (Config, error) {
	if cfg.MCP == nil || cfg.Clients == nil {
		return cfg, errors.New("serve: Config.MCP or Config.Clients is missing")
	}
	if len(cfg.Tokens) == 0 && cfg.OIDC == nil && cfg.Only == "" {
		return cfg, errors.New("serve: no token: set Config.Tokens or Config.OIDC")
	}
	for _, t := range cfg.Tokens {
		if err := CheckToken(t); err != nil {
			return cfg, err
		}
	}
	if strings.ContainsFunc(cfg.UserHeader, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return cfg, fmt.Errorf("%q is not a header name, such as X-User", cfg.UserHeader)
	}
	if (cfg.CertFile == "") != (cfg.KeyFile == "") {
		return cfg, errors.New("a TLS certificate and its key go together: give both, or neither")
	}
	for _, h := range cfg.AllowedHosts {
		if h == "" || strings.ContainsAny(h, "/@ \t") {
			return cfg, fmt.Errorf("%q is not a host name, such as nb.example.org or nb.example.org:8443", h)
		}
	}
	cfg, err := cfg.withAudiences()
	if err != nil {
		return cfg, err
	}
	cfg.ClientTimeout = cmp.Or(cfg.ClientTimeout, DefaultClientTimeout)
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.now == nil {
		cfg.now = time.Now
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	return cfg, nil
}
