package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/nbduet/nbduet/cmd/nbduet/health"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/tools/serve"
	"github.com/nbduet/nbduet/tools/tool"
)

// The transports.
const (
	transportStdio  = "stdio"
	transportStream = "streamable-http"
	transportEvents = "sse"
)

// httpFlags configure how clients reach the program.
type httpFlags struct {
	Transport      string   `name:"transport" env:"NBDUET_TRANSPORT" default:"stdio" placeholder:"HOW" help:"How clients reach this program: stdio (standard input and output), streamable-http (HTTP, at /mcp) or sse (the older HTTP with server-sent events, at /sse). Either of the last two serves both."`
	Host           string   `name:"host" env:"NBDUET_HOST" default:"127.0.0.1" placeholder:"ADDRESS" help:"Address to listen on for HTTP; 0.0.0.0 for all of this machine's."`
	Port           int      `name:"port" env:"MCP_PORT" default:"3001" placeholder:"N" help:"Port to listen on for HTTP; 0 picks a free one."`
	AuthToken      string   `name:"auth-token" env:"NBDUET_AUTH_TOKEN" placeholder:"TOKEN" help:"Token that HTTP clients must send. Give it in the environment, where other users cannot see it. Without it, nbduet creates one and prints it to standard error."`
	AuthTokenFile  string   `name:"auth-token-file" env:"NBDUET_AUTH_TOKEN_FILE" placeholder:"FILE" help:"File with such tokens, one a line: one each for people who must not see each other's sessions. Overrides --auth-token."`
	AllowedHosts   []string `name:"allowed-hosts" env:"NBDUET_ALLOWED_HOSTS" placeholder:"NAME" help:"Host names by which HTTP clients may address this machine, besides localhost and its address, such as nb.example.org; * is any."`
	AllowedOrigins []string `name:"allowed-origins" env:"NBDUET_ALLOWED_ORIGINS" placeholder:"ORIGIN" help:"Origins of web pages that may send requests, such as https://app.example.org; * is any."`
	TLSCert        string   `name:"tls-cert" env:"NBDUET_TLS_CERT" placeholder:"FILE" help:"Certificate (PEM) for HTTPS; it needs --tls-key."`
	TLSKey         string   `name:"tls-key" env:"NBDUET_TLS_KEY" placeholder:"FILE" help:"The certificate's key (PEM)."`
	PublicURL      string   `name:"resource-url" env:"NBDUET_RESOURCE_URL" placeholder:"URL" help:"Public address of this server if a proxy serves it, such as https://nb.example.org. OAuth clients get this address, and tokens must be issued for it."`
	OIDCIssuer     string   `name:"oidc-issuer" env:"NBDUET_OIDC_ISSUER" placeholder:"URL" help:"OpenID Connect issuer whose access tokens HTTP clients may send, beside --auth-token; it needs --resource-url or --oidc-audience."`
	OIDCAudience   []string `name:"oidc-audience" env:"NBDUET_OIDC_AUDIENCE" placeholder:"NAME" help:"Audiences; the issuer's tokens must name one of them. Default: --resource-url, as it is, with /mcp, and with /sse."`
	OIDCScopes     []string `name:"oidc-scopes" env:"NBDUET_OIDC_SCOPES" placeholder:"SCOPE" help:"Scopes; the issuer's tokens must have all."`
	Metrics        bool     `name:"metrics" env:"NBDUET_METRICS" help:"Serve Prometheus metrics at /metrics, to clients with a token. Needs HTTP."`
	ClientTimeout  string   `name:"client-timeout" env:"NBDUET_CLIENT_TIMEOUT" default:"60" placeholder:"MINUTES" help:"Minutes of silence, without an open stream, after which an HTTP client's MCP session and its analysis sessions end."`

	HealthURL string `name:"url" env:"NBDUET_HEALTH_URL" placeholder:"URL" help:"Address that nbduet health checks, instead of --host and --port, such as https://nb.example.org."`

	Inherit inheritFlags
}

// httpSettings are the checked httpFlags.
type httpSettings struct {
	httpFlags     // as given
	transport     string
	address       string // host and port
	tokens        []string
	made          bool // the token was generated here and must be printed
	hosts         []string
	clientTimeout time.Duration
	publicURL     string
	oidc          *serve.OIDC // nil for none
}

func (f httpFlags) check() (httpSettings, error) {
	s := httpSettings{httpFlags: f, transport: strings.ToLower(strings.TrimSpace(f.Transport)), hosts: f.AllowedHosts, publicURL: strings.TrimSpace(f.PublicURL)}
	switch s.transport {
	case transportStdio:
		if f.Metrics {
			return httpSettings{}, errors.New("--metrics: served over HTTP only: add --transport streamable-http")
		}
		return s, nil // the other flags have no effect on stdio
	case transportStream, transportEvents:
	case "http":
		s.transport = transportStream
	default:
		return httpSettings{}, fmt.Errorf("--transport: %q is not one of %s, %s, %s", f.Transport, transportStdio, transportStream, transportEvents)
	}
	if err := cmp.Or(
		f.Inherit.check(runtime.GOOS),
		between("port", f.Port, 0, 65_535, ""),
		readInto("client-timeout", &s.clientTimeout, f.ClientTimeout, minutes),
	); err != nil {
		return httpSettings{}, err
	}
	host, err := f.host()
	if err != nil {
		return httpSettings{}, err
	}
	s.address = net.JoinHostPort(host, strconv.Itoa(f.Port))
	if net.ParseIP(host) == nil {
		s.hosts = append(s.hosts, host) // clients use that name as the Host
	}
	if issuer := strings.TrimSpace(f.OIDCIssuer); issuer != "" {
		s.oidc = &serve.OIDC{Issuer: issuer, Audiences: f.OIDCAudience, Scopes: f.OIDCScopes}
		if len(f.OIDCAudience) == 0 && s.publicURL == "" {
			return httpSettings{}, errors.New("--oidc-issuer: its tokens need an audience: add --resource-url or --oidc-audience")
		}
	} else if len(f.OIDCAudience)+len(f.OIDCScopes) > 0 {
		return httpSettings{}, errors.New("--oidc-audience, --oidc-scopes: add --oidc-issuer, which they need")
	}
	switch {
	case f.AuthTokenFile != "":
		text, err := readToken(f.AuthTokenFile)
		if err != nil {
			return httpSettings{}, fmt.Errorf("--auth-token-file: %w", err)
		}
		s.tokens = strings.Fields(text)
	case strings.TrimSpace(f.AuthToken) != "":
		s.tokens = []string{strings.TrimSpace(f.AuthToken)}
	case s.oidc != nil: // tokens from the issuer suffice
	default:
		s.tokens, s.made = []string{serve.NewToken()}, true
	}
	for _, t := range s.tokens {
		if err := serve.CheckToken(t); err != nil {
			return httpSettings{}, fmt.Errorf("--auth-token: %w", err)
		}
	}
	return s, nil
}

func (f httpFlags) host() (string, error) {
	host := strings.Trim(strings.TrimSpace(f.Host), "[]")
	if host == "" {
		return "", errors.New("--host: the address is empty: give one, such as 127.0.0.1, or 0.0.0.0 for all interfaces")
	}
	return host, nil
}

// healthURL returns the health address of a program that was started with the same flags.
func (f httpFlags) healthURL() (string, error) {
	if address := strings.TrimSpace(f.HealthURL); address != "" {
		s, err := health.URL(address)
		if err != nil {
			return "", fmt.Errorf("--url: %w", err)
		}
		return s, nil
	}
	host, err := f.host()
	if err != nil {
		return "", err
	}
	if f.Port < 1 || f.Port > 65535 {
		return "", fmt.Errorf("--port: %d is not between 1 and 65,535: give the port on which nbduet listens", f.Port)
	}
	return health.Local(host, f.Port, f.TLSCert != ""), nil
}

// listenHTTP serves MCP over HTTP until ctx ends.
func listenHTTP(ctx context.Context, mcp *server.MCPServer, clients *tool.Clients, s httpSettings, figures *serve.Metrics, stderr io.Writer, log *slog.Logger) error {
	srv, err := serve.New(serve.Config{
		MCP: mcp, Clients: clients, Tokens: s.tokens, AllowedHosts: s.hosts, AllowedOrigins: s.AllowedOrigins,
		ClientTimeout: s.clientTimeout, CertFile: s.TLSCert, KeyFile: s.TLSKey, Limits: serve.Limits{DrainTime: drainTime},
		UserHeader: s.Inherit.UserHeader, PublicURL: s.publicURL, OIDC: s.oidc, Metrics: figures, Logger: log,
	})
	if err != nil {
		return options.UsageError{Err: err}
	}
	l, err := s.Inherit.listen(ctx, s.address)
	if portInUse(err) {
		return options.UsageError{Err: s.taken(ctx)}
	}
	if err != nil {
		return options.UsageError{Err: err}
	}
	_, _ = fmt.Fprintln(stderr, "nbduet: serving MCP at", s.url(l.Addr()))
	if s.oidc != nil {
		_, _ = fmt.Fprintln(stderr, "nbduet: clients must send a token of", s.oidc.Issuer)
	}
	if s.made {
		_, _ = fmt.Fprintln(stderr, "nbduet: clients must send the header  Authorization: Bearer "+s.tokens[0])
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && s.TLSCert == "" {
		log.Warn("other machines can reach this program over unencrypted HTTP: for HTTPS, add --tls-cert and --tls-key")
	}
	return srv.Serve(ctx, l)
}

// portInUse reports whether an error means that another program listens on the port.
func portInUse(err error) bool {
	const onWindows = syscall.Errno(10048) // WSAEADDRINUSE
	var why syscall.Errno
	return errors.As(err, &why) && (why == syscall.EADDRINUSE || why == onWindows)
}

// askWho bounds the check which program listens on the port.
const askWho = time.Second

// taken returns the fault that the port is in use. It names nbduet if nbduet is the program that answers there.
func (s httpSettings) taken(ctx context.Context) error {
	ctx, enough := context.WithTimeout(ctx, askWho)
	defer enough()
	who := faults.Values{Address: s.address, Detail: "another program"}
	host, port, err := net.SplitHostPort(s.address)
	if n, wrong := strconv.Atoi(port); err == nil && wrong == nil {
		for _, encrypted := range []bool{false, true} {
			if health.Ask(ctx, health.Local(host, n, encrypted), io.Discard) == nil {
				who.Detail = "another program, probably nbduet,"
			}
		}
	}
	return faults.New(faults.PortInUse, who)
}

// url returns the address for a client on this machine.
func (s httpSettings) url(at net.Addr) string {
	scheme, path := "http", "/mcp"
	if s.TLSCert != "" {
		scheme = "https"
	}
	if s.transport == transportEvents {
		path = "/sse"
	}
	host := at.String()
	if a, ok := at.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port))
	}
	return scheme + "://" + host + path
}
