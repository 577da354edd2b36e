// Package issuertest runs an OpenID Connect issuer for tests: with discovery, replaceable keys, a token endpoint for clients
// that have credentials, and the faults that an issuer can have.
//
// An [Issuer] is safe for concurrent use.
package issuertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer is a running issuer.
type Issuer struct {
	// URL is the issuer that its tokens name.
	URL string

	server *httptest.Server

	mu      sync.Mutex
	key     jose.JSONWebKey   // signs
	others  []jose.JSONWebKey // also published
	fault   http.HandlerFunc
	renamed string
	reads   int
	asked   []string
}

// first returns the initial key of all issuers; generating it takes a while.
var first = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Start starts an issuer with a key for RS256. It ends with the test.
func Start(t *testing.T) *Issuer {
	t.Helper()
	i := &Issuer{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discover)
	mux.HandleFunc("GET /keys", i.published)
	mux.HandleFunc("POST /token", i.token)
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		fault := i.fault
		i.mu.Unlock()
		if fault != nil {
			fault(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.server.Close)
	i.URL = i.server.URL
	key, err := first()
	if err != nil {
		t.Fatal(err)
	}
	i.key = jose.JSONWebKey{Key: key, KeyID: "first", Algorithm: string(jose.RS256), Use: "sig"}
	return i
}

// Rotate makes the issuer sign with a new key for ES256, and removes the others.
func (i *Issuer) Rotate(t *testing.T, id string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.others = jose.JSONWebKey{Key: key, KeyID: id, Algorithm: string(jose.ES256)}, nil
}

// Publish adds a key to the published ones.
func (i *Issuer) Publish(key jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.others = append(i.others, key)
}

// Fail makes f answer all requests; nil restores the normal answers.
func (i *Issuer) Fail(f http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fault = f
}

// Rename makes discovery return a wrong issuer name; "" restores the correct one.
func (i *Issuer) Rename(name string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.renamed = name
}

// Reads returns how often the keys were read.
func (i *Issuer) Reads() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.reads
}

// Resources returns the resources for which clients have requested tokens.
func (i *Issuer) Resources() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked)
}

// Key returns the signing key.
func (i *Issuer) Key() jose.JSONWebKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.key
}

// Token returns a token that is valid for an hour, with claims added, or removed if they are nil.
func (i *Issuer) Token(t *testing.T, sub, aud string, claims map[string]any) string {
	t.Helper()
	token, err := Sign(i.Key(), i.claims(sub, aud, claims))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (i *Issuer) claims(sub, aud string, more map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{"iss": i.URL, "sub": sub, "aud": aud, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": rand.Text()}
	maps.Copy(all, more)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// Sign signs claims with a key and the key's algorithm.
func Sign(key jose.JSONWebKey, claims map[string]any) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.Algorithm), Key: key}, (&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		return "", fmt.Errorf("make a signer: %w", err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("write the claims: %w", err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return signed.CompactSerialize()
}

func (i *Issuer) discover(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	name := i.URL
	if i.renamed != "" {
		name = i.renamed
	}
	i.mu.Unlock()
	answer(w, map[string]any{
		"issuer": name, "jwks_uri": i.URL + "/keys", "token_endpoint": i.URL + "/token", "authorization_endpoint": i.URL + "/authorize",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", "ES256"},
		"grant_types_supported":                 []string{"client_credentials"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
	})
}

func (i *Issuer) published(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	i.reads++
	set := jose.JSONWebKeySet{Keys: append([]jose.JSONWebKey{i.key.Public()}, i.others...)}
	i.mu.Unlock()
	answer(w, set)
}

// Audience is an audience of all the token endpoint's tokens, in addition to the requested resource.
const Audience = "issuertest"

// token issues a token to any client in its own name, for the requested resource and for [Audience].
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	client, _, ok := r.BasicAuth()
	if !ok {
		client = r.PostFormValue("client_id")
	}
	if client == "" || r.PostFormValue("grant_type") != "client_credentials" {
		http.Error(w, `{"error":"invalid_request"}`, http.StatusBadRequest)
		return
	}
	resource := r.PostFormValue("resource")
	i.mu.Lock()
	i.asked = append(i.asked, resource)
	i.mu.Unlock()
	token, err := Sign(i.Key(), i.claims(client, resource, map[string]any{"aud": []string{resource, Audience}, "scope": r.PostFormValue("scope")}))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": r.PostFormValue("scope")})
}

func answer(w http.ResponseWriter, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a disconnected client needs no answer
}

// Public is the public half of a key, as it can be published.
func Public(key jose.JSONWebKey) crypto.PublicKey { return key.Public().Key }
