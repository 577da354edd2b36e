package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
)

// NewToken makes a token that nobody can guess.
func NewToken() string { return strings.ToLower(rand.Text()) } // 130 bits

// CheckToken says what is wrong with a token, without showing it.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("the token is empty")
	case len(token) > 4096:
		return errors.New("the token is longer than 4096 characters")
	}
	for _, r := range token {
		if r <= ' ' || r >= 0x7f { // what an Authorization header can carry, RFC 6750
			return errors.New("the token has a character other than letters, digits and signs of ASCII, such as a space")
		}
	}
	return nil
}

// keys recognises tokens by their hashes, so that all comparisons are of one length.
type keys [][sha256.Size]byte

func newKeys(tokens []string) keys {
	k := make(keys, len(tokens))
	for i, t := range tokens {
		k[i] = sha256.Sum256([]byte(t))
	}
	return k
}

// who gives the number of the token that a request bears, -1 for none. How long it takes does not depend on how much of
// a token is right, nor on which one it is.
func (k keys) who(r *http.Request) int {
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return -1
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := -1
	for i := range k {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(k[i][:], given[:]), i, found)
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return -1
	}
	return found
}

// unauthorized answers a request without a token that is known (RFC 6750, section 3).
func unauthorized(w http.ResponseWriter, r *http.Request) {
	challenge := `Bearer realm="nbduet"`
	message := `a token is needed: send the header "Authorization: Bearer TOKEN", with the token that nbduet was given or has shown when it was started`
	if r.Header.Get("Authorization") != "" {
		challenge += `, error="invalid_token"`
		message = "the token is not the one that nbduet was given or has shown when it was started"
	}
	w.Header().Set("WWW-Authenticate", challenge)
	refuse(w, http.StatusUnauthorized, message)
}
