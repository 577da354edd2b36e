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
)

// OIDC says whose tokens are accepted: access tokens that are JWTs (RFC 9068) and signed with the keys that an OpenID
// Connect issuer publishes.
type OIDC struct {
	// Issuer is the issuer's URL, exactly as it stands in its tokens.
	Issuer string
	// Audiences are those of which a token has to name one; none stands for the URLs of the server, see Config.PublicURL.
	Audiences []string
	// Scopes are those of which a token has to have all.
	Scopes []string
}

const (
	// maxIssuedToken bounds a token of the issuer's, in bytes.
	maxIssuedToken = 16 << 10
	// maxSubject is what OpenID Connect allows a subject's name to have.
	maxSubject = 255
)

// signing are the algorithms with which a token may be signed: those with a key that only the issuer has.
var signing = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// issuer knows the issuer's tokens.
type issuer struct {
	cfg  OIDC
	keys *keyring
}

func (cfg OIDC) check() error {
	if err := checkIssuer(cfg.Issuer); err != nil {
		return err
	}
	if len(cfg.Audiences) == 0 {
		return errors.New("of an issuer's tokens it has to be known for whom they are meant: the audience or this server's public URL is missing")
	}
	for _, a := range cfg.Audiences {
		if strings.TrimSpace(a) == "" {
			return errors.New("an audience of the issuer's tokens is empty")
		}
	}
	for _, scope := range cfg.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
			return fmt.Errorf("%q is no scope of OAuth's", scope) // RFC 6749, section 3.3
		}
	}
	return nil
}

// checkIssuer says what is wrong with an issuer's URL, or with the one that it names for its keys: who can change what
// comes from there can make tokens.
func checkIssuer(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q is no issuer, such as https://login.example.org/realms/lab", address)
	}
	return checkSafe(u)
}

// checkSafe says whether nobody on the way can change what is read from there.
func checkSafe(u *url.URL) error {
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%q is not safe: https is needed for what is not on this machine", u.Redacted())
}

// identify finds the subject of a token. An error is a [denial], in which nothing of the token stands.
func (i *issuer) identify(ctx context.Context, token string) (caller, error) {
	bad := func(message string) error {
		return &denial{http.StatusUnauthorized, "invalid_token", message}
	}
	if len(token) > maxIssuedToken {
		return "", bad(fmt.Sprintf("the token is longer than %d bytes", maxIssuedToken))
	}
	if strings.Count(token, ".") != 2 {
		return "", bad(fmt.Sprintf("the token is none that is known here, and no signed one (JWT) of %s", i.cfg.Issuer))
	}
	// The verifier looks at the signature first, then at issuer and times.
	watch := &recordingKeys{keys: i.keys}
	var algs []string
	for _, a := range signing {
		algs = append(algs, string(a))
	}
	verifier := oidc.NewVerifier(i.cfg.Issuer, watch, &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: algs, Now: i.keys.now})
	t, err := verifier.Verify(ctx, token)
	var late *oidc.TokenExpiredError
	switch {
	case errors.Is(watch.err, errIssuer):
		return "", &denial{http.StatusServiceUnavailable, "", fmt.Sprintf("the token cannot be checked now, since the keys of %s cannot be read: try again later", i.cfg.Issuer)}
	case errors.As(err, &late):
		return "", bad("the token has expired: get another one from " + i.cfg.Issuer)
	case err != nil:
		return "", bad(fmt.Sprintf("the token is none that is known here, and not one that %s has signed and that is valid now", i.cfg.Issuer))
	case !slices.ContainsFunc(t.Audience, func(a string) bool { return slices.Contains(i.cfg.Audiences, a) }):
		return "", bad(fmt.Sprintf("the token is meant for another server: its audience has to be one of %s", strings.Join(i.cfg.Audiences, ", ")))
	case t.Subject == "" || len(t.Subject) > maxSubject:
		return "", bad("the token does not say whose it is, or with too long a name (sub)")
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

// scopeClaims are the two places where issuers write scopes: the registered one (RFC 8693), and one that several have in
// its stead.
type scopeClaims struct {
	Scope scopeList `json:"scope"`
	Scp   scopeList `json:"scp"`
}

func (c scopeClaims) all() []string { return slices.Concat(c.Scope, c.Scp) }

// scopeList are a list, or a text with spaces between.
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

// recordingKeys keeps the error of a keyring, which the verifier would make a text of.
type recordingKeys struct {
	keys *keyring
	err  error
}

// VerifySignature implements oidc.KeySet.
func (w *recordingKeys) VerifySignature(ctx context.Context, token string) (payload []byte, err error) {
	payload, w.err = w.keys.verify(ctx, token)
	return payload, w.err
}

// newIssuer prepares for the tokens of an issuer, which is asked for nothing before the first of them comes. What it is
// asked ends with ctx.
func newIssuer(ctx context.Context, cfg Config) (*issuer, error) {
	if err := cfg.OIDC.check(); err != nil {
		return nil, err
	}
	return &issuer{*cfg.OIDC, newKeyring(ctx, cfg)}, nil
}

// issuerClient is how the issuer is asked.
func issuerClient() *http.Client {
	return &http.Client{Transport: safeTransport{&http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, // it is asked too seldom
		MaxResponseHeaderBytes: 64 << 10, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
	}}}
}

// safeTransport asks only what nobody on the way can change, and reads no more of an answer than an issuer has reason to say.
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
