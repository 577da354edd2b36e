package jupyter

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter/cacerts"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
	"github.com/nbduet/nbduet/rtc/jupyter/hub"
	"github.com/nbduet/nbduet/rtc/jupyter/login"
	"github.com/nbduet/nbduet/rtc/jupyter/quickack"
	"github.com/nbduet/nbduet/rtc/jupyter/scheme"
)

const (
	// defaultTimeout is how long a request waits for a silent server if Options do not set it.
	defaultTimeout = 30 * time.Second
	// kernelTimeout is the same for calls that wait for a kernel to start. The server itself gives a kernel 60 seconds.
	kernelTimeout = 90 * time.Second
	// maxAnswerBytes is the longest answer read into memory; a notebook with many plots reaches tens of megabytes.
	maxAnswerBytes = 256 << 20
	// maxFrameBytes is the longest websocket message accepted: a room's first answer is the whole document in one
	// frame, and a kernel's display can be as large.
	maxFrameBytes = 256 << 20
)

// Options describe a server and how to connect to it.
type Options struct {
	// URL is the server's address: http or https, with the server's base URL as path if it has one. The addresses that
	// Jupyter prints and browsers show are accepted: "/lab", "/tree" and the rest of the path are dropped. A "?token="
	// in it takes precedence over Token, because it was given for this very server. It may be empty if Find is set.
	URL string
	// Token is sent with every request as "Authorization: token …"; empty sends none.
	Token string
	// Password is the password for the server's login page, for a server without a token. It is sent only there, when a
	// request is refused, and never if there is a token.
	Password string
	// Find, if not nil, finds the server when a request needs it and its address is unknown, it does not answer, or it
	// refuses the token: at most once a second, one search at a time, each bounded by Timeout. Once the server has
	// answered, only its token changes. Callers get the error, so it should say what is wrong and what to do.
	Find func(context.Context) (Found, error)
	// HTTPClient supplies the transport, for tests and for unusual TLS; nil makes a new one. Websockets use its TLS
	// configuration and its DialContext, which is a method if it is not an [http.Transport]. The redirect policy and
	// the cookie jar are always this package's.
	HTTPClient *http.Client
	// Roots are the trusted certificate authorities; nil for the system's. HTTPClient, if set, has its own.
	Roots *x509.CertPool
	// Logger gets one debug line per request; nil logs nothing.
	Logger *slog.Logger
	// Timeout is how long a request waits for a server that neither accepts nor sends data; 0 means 30 s. Starting a
	// kernel may take longer, provided that the server answers other requests.
	Timeout time.Duration
	// UserAgent is sent with every request; empty sends "nbduet".
	UserAgent string
	// Role is the server's purpose if there are several servers, such as "runtime": every error then names the server,
	// and its hints name that server's settings (--runtime-url, RUNTIME_URL).
	Role string
}

// A Client sends requests to one Jupyter Server, with one token. It is safe for concurrent use. It does not change,
// except for the results of Options.Find and its counters.
type Client struct {
	// Changes counts possible changes on the server: each request other than GET, each connection, and changes that
	// callers note.
	Changes ChangeCounter

	finder    *finder
	http      *http.Client
	way       http.RoundTripper // the chain of layers for requests
	login     *login.Login      // nil without a password
	transport *http.Transport   // our own; nil if the caller supplied one
	tls       *tls.Config       // for websockets, nil for the system's roots
	dialer    dialFunc          // likewise
	scheme    scheme.Watch
	log       *slog.Logger
	userAgent string
	role      string // "" for the only server
	maxAnswer int64  // bytes
	timeout   time.Duration
	given     time.Duration // Options.Timeout as given
	absence   absence
	hub       hub.Verdicts
}

// newClient returns a client of the server in opt. It sends nothing yet. Errors describe the address without its
// query, which may hold a token.
func newClient(opt Options) (*Client, error) {
	opt.Role = strings.TrimSpace(opt.Role)
	at, err := opt.place()
	if err != nil {
		return nil, err
	}
	timeout := cmp.Or(opt.Timeout, defaultTimeout)
	s := &Client{
		finder: newFinder(at, opt, timeout), dialer: quickack.Dial, role: opt.Role,
		log: cmp.Or(opt.Logger, slog.New(slog.DiscardHandler)), userAgent: cmp.Or(opt.UserAgent, "nbduet"),
		maxAnswer: maxAnswerBytes, timeout: timeout, given: opt.Timeout,
	}
	// The jar keeps the server's own "username-…" cookie: without it each request with a token would be another
	// anonymous user. It serves a single host, so it needs no public suffix list.
	client := &http.Client{Jar: login.NewJar(), CheckRedirect: s.checkRedirect}
	if opt.HTTPClient != nil {
		client.Transport = opt.HTTPClient.Transport
		client.Timeout = opt.HTTPClient.Timeout
		s.dialAs(client.Transport)
	} else {
		s.transport = http.DefaultTransport.(*http.Transport).Clone()
		s.transport.TLSClientConfig, s.tls = cacerts.Config(opt.Roots), cacerts.Config(opt.Roots)
		client.Transport = s.transport
	}
	s.http = client
	if opt.Password != "" {
		s.login = login.New(opt.Password, client)
	}
	s.scheme.Dial = s.dialer
	s.way = wayOf(s)
	return s, nil
}

// Timeout returns the Timeout option of the server; 0 for none.
func (s *Client) Timeout() time.Duration { return s.given }

// place returns the place that the options give, nil if there is only Find.
func (opt Options) place() (*place, error) {
	if opt.URL == "" && opt.Find != nil {
		return nil, nil
	}
	base, others, token, err := parseAddress(opt.URL)
	if err != nil {
		return nil, err
	}
	if token, err = cleanToken(cmp.Or(token, opt.Token), opt.Role); err != nil {
		return nil, err
	}
	return &place{base: base, token: token, others: others}, nil
}

// cleanToken returns the token without surrounding space; it returns an error if the token cannot be sent.
func cleanToken(token, role string) (string, error) {
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", errors.New("the Jupyter token contains a space, control or non-ASCII character: check " + faults.TokenSetting(role))
	}
	return token, nil
}

// dialFunc is the type of [net.Dialer.DialContext].
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dialAs makes websockets use the caller's transport.
func (s *Client) dialAs(transport http.RoundTripper) {
	t, ok := transport.(*http.Transport)
	if !ok {
		if own, ok := transport.(interface {
			DialContext(ctx context.Context, network, addr string) (net.Conn, error)
		}); ok {
			s.dialer = own.DialContext
		}
		return
	}
	if t.TLSClientConfig != nil {
		s.tls = t.TLSClientConfig.Clone()
		s.tls.NextProtos = nil // a websocket handshake is HTTP/1.1
	}
	if t.DialContext != nil {
		s.dialer = t.DialContext
	}
}

// BaseURL returns the server's address: scheme, host and path prefix, without a trailing slash and without a token.
// It is empty if Options.Find has not found the server yet.
func (s *Client) BaseURL() string { return s.finder.at.Load().address() }

// HasToken reports whether requests carry a token.
func (s *Client) HasToken() bool {
	at := s.finder.at.Load()
	return at != nil && at.token != ""
}

// CloseIdleConnections closes the kept-alive HTTP connections that are not in use.
func (s *Client) CloseIdleConnections() { s.http.CloseIdleConnections() }

// checkRedirect follows a redirect only within the server's own origin, and not to a login page. Callers get other
// redirects as answers, because another host must not see the token.
func (s *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; len(via) >= 5 || req.URL.Scheme != first.Scheme || req.URL.Host != first.Host || isLogin(req.URL) {
		return http.ErrUseLastResponse
	}
	if m := via[0].Method; m != http.MethodGet && m != http.MethodHead {
		return http.ErrUseLastResponse // a followed POST would arrive as a GET
	}
	return nil
}

func isLogin(u *url.URL) bool {
	return strings.HasSuffix(u.Path, "/login") || strings.HasSuffix(u.Path, "/oauth2/authorize")
}

// parseAddress parses a user's address of the server. others are further base URLs that it may mean, shortest first.
func parseAddress(raw string) (base *url.URL, others []*url.URL, token string, err error) {
	shown := safeAddress(raw)
	if strings.TrimSpace(raw) == "" {
		return nil, nil, "", errors.New("no Jupyter server address: set JUPYTER_SERVER_URL (or --jupyter-url), for example http://127.0.0.1:8888")
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// The parser's message repeats the whole address.
		return nil, nil, "", fmt.Errorf("the Jupyter server address %q cannot be parsed: give it as http://host:port/prefix", shown)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, "", fmt.Errorf("the Jupyter server address %q does not start with http:// or https://", shown)
	}
	if u.Hostname() == "" {
		return nil, nil, "", fmt.Errorf("the Jupyter server address %q has no host", shown)
	}
	if u.User != nil {
		return nil, nil, "", fmt.Errorf("the Jupyter server address %q contains a user name or password: Jupyter takes a token (JUPYTER_TOKEN) instead", shown)
	}
	token = strings.TrimSpace(u.Query().Get("token"))
	for _, prefix := range prefixes(u.EscapedPath()) {
		path, err := url.PathUnescape(prefix)
		if err != nil {
			return nil, nil, "", fmt.Errorf("the path of the Jupyter server address %q cannot be decoded: %w", shown, err)
		}
		others = append(others, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path, RawPath: prefix})
	}
	return others[0], others[1:], token, nil
}

// safeAddress returns raw without its possible secrets: query, fragment, user name and password.
func safeAddress(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i]
	}
	if scheme, rest, ok := strings.Cut(raw, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			raw = scheme + "://" + host[i+1:] + "/" + path
		}
	}
	return shorten(raw, 200)
}

// pages are the path segments at which a Jupyter server's user interfaces begin.
var pages = []string{"lab", "tree", "notebooks", "edit", "consoles", "doc", "login"}

// prefixes returns the possible base URL paths of an address that may point to a page of a user interface. They have
// no trailing slash. The likeliest, which ends before the first page segment, comes first, and the whole path last. A
// JupyterHub user may have the name of a page, so the segment after "user" never counts as one.
func prefixes(path string) (all []string) {
	segs := slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
	whole := ""
	for i, seg := range segs {
		if len(all) < 3 && slices.Contains(pages, seg) && (i == 0 || segs[i-1] != "user") {
			all = append(all, whole)
		}
		whole += "/" + seg
	}
	return append(all, whole)
}
