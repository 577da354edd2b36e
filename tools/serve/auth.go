package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/samber/lo"
)

// NewToken returns a token that cannot be guessed.
func NewToken() string { return strings.ToLower(rand.Text()) } // 130 bits

// CheckToken returns an error if a token is invalid; the error does not contain it.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("the token is empty")
	case len(token) > 4096:
		return errors.New("the token is longer than 4096 characters")
	}
	for _, r := range token {
		if r <= ' ' || r >= 0x7f { // an Authorization header cannot contain it, RFC 6750
			return errors.New("the token has a space, or a character that is not printable ASCII")
		}
	}
	return nil
}

// maxUserName bounds the name in UserHeader, in bytes.
const maxUserName = 1000

// userName returns the user that the request's UserHeader names, or "".
func (s *Server) userName(r *http.Request) (string, error) {
	if s.cfg.UserHeader == "" {
		return "", nil
	}
	switch names := r.Header.Values(s.cfg.UserHeader); {
	case len(names) == 0:
		return "", nil
	case len(names) > 1 || len(names[0]) > maxUserName:
		return "", &denial{status: http.StatusBadRequest, message: fmt.Sprintf("the header %s is repeated, or longer than %d bytes: send it once", s.cfg.UserHeader, maxUserName)}
	default:
		return names[0], nil
	}
}

// A tokenSet recognizes tokens by their hashes, so that all comparisons have one length.
type tokenSet [][sha256.Size]byte

func newTokenSet(tokens []string) tokenSet {
	return lo.Map(tokens, func(t string, _ int) [sha256.Size]byte { return sha256.Sum256([]byte(t)) })
}

// find returns the index of a token, or -1 if it is unknown. Its time depends neither on how much of a token is correct nor
// on which token it is.
func (k tokenSet) find(token string) int {
	given := sha256.Sum256([]byte(token))
	found := -1
	for i := range k {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(k[i][:], given[:]), i, found)
	}
	return found
}

// A denial says why a request is refused, and how to answer it (RFC 6750, section 3.1).
type denial struct {
	status  int
	code    string // OAuth's: invalid_token, insufficient_scope
	message string
}

func (d *denial) Error() string { return d.message }

// Bearer returns the token in a request's Authorization header. For a WebSocket it may be the password of HTTP Basic,
// because most WebSocket clients send no header except the one that they make from ws://any:TOKEN@host. The server never
// asks for a password, which browsers would keep.
func Bearer(r *http.Request) (token string, ok bool) {
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return "", false
	}
	if _, password, basic := r.BasicAuth(); basic && r.URL.Path == socketPath {
		return password, password != ""
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// entrant returns the caller of a request to a server that serves only one user.
func entrant(ctx context.Context, only string) (caller, error) {
	e, ok := entrantIn(ctx)
	if !ok || e.Name != only {
		return "", &denial{status: http.StatusUnauthorized, message: "this is another user's server"}
	}
	if e.Still != nil {
		if err := e.Still(ctx); err != nil {
			return "", &denial{status: http.StatusUnauthorized, code: "invalid_token", message: err.Error()}
		}
	}
	return subjectCaller(e.Name), nil
}

// identify returns the caller of a request. An error is a [denial].
func (s *Server) identify(r *http.Request) (caller, error) {
	if s.cfg.Only != "" {
		return entrant(r.Context(), s.cfg.Only)
	}
	if token, ok := Bearer(r); ok {
		if n := s.tokens.find(token); n >= 0 {
			name, err := s.userName(r)
			return tokenCaller(n, name), err
		}
		if s.issuer != nil {
			return s.issuer.identify(r.Context(), token)
		}
	}
	d := &denial{status: http.StatusUnauthorized}
	if r.Header.Get("Authorization") != "" {
		d.code = "invalid_token"
	}
	switch {
	case s.issuer != nil:
		d.message = fmt.Sprintf("a token is needed: send the header \"Authorization: Bearer TOKEN\" with a token that %s has issued for this server", s.issuer.cfg.Issuer)
	case d.code == "":
		d.message = `a token is needed: send the header "Authorization: Bearer TOKEN" with the token that nbduet was given or printed at startup`
	default:
		d.message = "the token is wrong: send the token that nbduet was given or printed at startup"
	}
	return "", d
}

// deny answers a request whose sender is unknown or not allowed to send it (RFC 6750, section 3; RFC 9728, section 5.1).
func (s *Server) deny(w http.ResponseWriter, r *http.Request, err error) {
	d := &denial{status: http.StatusUnauthorized, message: err.Error()}
	errors.As(err, &d)
	switch d.status {
	case http.StatusServiceUnavailable:
		busy(w, d.status, d.message)
		return
	case http.StatusBadRequest:
		Refuse(w, d.status, d.message)
		return
	}
	challenge := []string{`Bearer realm="nbduet"`}
	if d.code != "" {
		challenge = append(challenge, `error="`+d.code+`"`)
	}
	if s.issuer != nil {
		challenge = append(challenge, `resource_metadata="`+s.metadataURL(r)+`"`)
		if scopes := s.issuer.cfg.Scopes; len(scopes) > 0 {
			challenge = append(challenge, `scope="`+strings.Join(scopes, " ")+`"`)
		}
	}
	w.Header().Set("WWW-Authenticate", strings.Join(challenge, ", "))
	Refuse(w, d.status, d.message)
}
