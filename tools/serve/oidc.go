package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/samber/lo"
)

// OIDC configures an OpenID Connect issuer whose access tokens are accepted: JWTs (RFC 9068) that are signed with the keys
// that the issuer publishes.
type OIDC struct {
	// Issuer is the issuer's URL, exactly as in its tokens.
	Issuer string
	// Audiences are the accepted audiences: a token has to name one of them. If empty, they are the URLs of the server, see
	// Config.PublicURL.
	Audiences []string
	// Scopes are the required scopes: a token has to have all of them.
	Scopes []string
}

const (
	// maxIssuedToken bounds a token of the issuer, in bytes.
	maxIssuedToken = 16 << 10
	// maxSubject is OpenID Connect's limit for a subject's name, in characters.
	maxSubject = 255
)

// signing are the accepted signature algorithms: only those with a private key that the issuer alone has.
var signing = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// An issuer checks the tokens of an OpenID Connect issuer.
type issuer struct {
	cfg  OIDC
	keys *keyring
}

func (cfg OIDC) check() error {
	if err := checkIssuer(cfg.Issuer); err != nil {
		return err
	}
	if len(cfg.Audiences) == 0 {
		return errors.New("the issuer's tokens need an audience: set it, or this server's public URL")
	}
	for _, a := range cfg.Audiences {
		if strings.TrimSpace(a) == "" {
			return errors.New("an audience of the issuer's tokens is empty")
		}
	}
	for _, scope := range cfg.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
			return fmt.Errorf("%q is not an OAuth scope", scope) // RFC 6749, section 3.3
		}
	}
	return nil
}

// checkIssuer returns an error if an issuer's URL is invalid or not safe. An attacker who can change its answers can make
// tokens.
func checkIssuer(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is not an issuer URL, such as https://login.example.org/realms/lab", address)
	}
	return checkSafe(u)
}

// checkSafe refuses an address whose answers could be changed in transit.
func checkSafe(u *url.URL) error {
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q is not safe: use https for another machine", u.Redacted())
}

// identify returns the subject of a token. Its error is a [denial] that shows nothing of the token.
func (i *issuer) identify(ctx context.Context, token string) (caller, error) {
	bad := func(message string) error {
		return &denial{http.StatusUnauthorized, "invalid_token", message}
	}
	if len(token) > maxIssuedToken {
		return "", bad(fmt.Sprintf("the token is longer than %d bytes", maxIssuedToken))
	}
	if strings.Count(token, ".") != 2 {
		return "", bad(fmt.Sprintf("the token is unknown here, and is not a signed token (JWT) of %s", i.cfg.Issuer))
	}
	// The verifier checks the signature first, then issuer and times.
	watch := &recordingKeys{keys: i.keys}
	algs := lo.Map(signing, func(a jose.SignatureAlgorithm, _ int) string { return string(a) })
	verifier := oidc.NewVerifier(i.cfg.Issuer, watch, &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: algs, Now: i.keys.now})
	t, err := verifier.Verify(ctx, token)
	var late *oidc.TokenExpiredError
	switch {
	case errors.Is(watch.err, errIssuer):
		return "", &denial{http.StatusServiceUnavailable, "", fmt.Sprintf("the token cannot be checked now, because the keys of %s cannot be read: try again later", i.cfg.Issuer)}
	case errors.As(err, &late):
		return "", bad("the token has expired: get a new one from " + i.cfg.Issuer)
	case err != nil:
		return "", bad(fmt.Sprintf("the token is unknown here, and is not a valid token signed by %s", i.cfg.Issuer))
	case !slices.ContainsFunc(t.Audience, func(a string) bool { return slices.Contains(i.cfg.Audiences, a) }):
		return "", bad(fmt.Sprintf("the token is meant for another server: its audience must be one of %s", strings.Join(i.cfg.Audiences, ", ")))
	case t.Subject == "" || len(t.Subject) > maxSubject:
		return "", bad("the token's subject (sub) is missing or too long")
	}
	var claims scopeClaims
	if err := t.Claims(&claims); err != nil {
		return "", bad("the token's scopes cannot be read (scope, scp)")
	}
	for _, want := range i.cfg.Scopes {
		if !slices.Contains(claims.all(), want) {
			return "", &denial{http.StatusForbidden, "insufficient_scope", fmt.Sprintf("the token lacks the scope %s", want)}
		}
	}
	return subjectCaller(t.Subject), nil
}

// scopeClaims are the two claims in which issuers write scopes: the registered one (RFC 8693), and one that several issuers
// use in its place.
type scopeClaims struct {
	Scope scopeList `json:"scope"`
	Scp   scopeList `json:"scp"`
}

func (c scopeClaims) all() []string { return slices.Concat(c.Scope, c.Scp) }

// A scopeList is a JSON array, or a string of words separated by spaces.
type scopeList []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *scopeList) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err == nil {
		*w = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// recordingKeys keeps the error of a keyring, because the verifier returns only its text.
type recordingKeys struct {
	keys *keyring
	err  error
}

// VerifySignature implements oidc.KeySet.
func (w *recordingKeys) VerifySignature(ctx context.Context, token string) (payload []byte, err error) {
	payload, w.err = w.keys.verify(ctx, token)
	return payload, w.err
}

// newIssuer returns an issuer. It sends no request before the first token arrives; ctx ends its requests.
func newIssuer(ctx context.Context, cfg Config) (*issuer, error) {
	if err := cfg.OIDC.check(); err != nil {
		return nil, err
	}
	return &issuer{*cfg.OIDC, newKeyring(ctx, cfg)}, nil
}

// issuerClient returns the HTTP client for the issuer.
func issuerClient() *http.Client {
	return &http.Client{Transport: safeTransport{&http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, // requests are too rare for them
		MaxResponseHeaderBytes: 64 << 10, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
	}}}
}

// A safeTransport sends requests only to addresses that pass checkSafe, and bounds the answers.
type safeTransport struct{ next http.RoundTripper }

const maxAnswer = 1 << 20

// RoundTrip implements http.RoundTripper.
func (c safeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkSafe(r.URL); err != nil {
		return nil, err
	}
	res, err := c.next.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}
