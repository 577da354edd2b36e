package serve

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/tools/serve/issuertest"
)

const public = "https://nb.example.org"

// A clock advances only when the test sets it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// newIssuerRig serves the toy with tokens of an issuer.
func newIssuerRig(t *testing.T, edit func(*Config)) (*rig, *issuertest.Issuer, *clock) {
	t.Helper()
	i, c := issuertest.Start(t), &clock{at: time.Now()}
	return newRig(t, func(cfg *Config) {
		cfg.OIDC, cfg.PublicURL, cfg.now = &OIDC{Issuer: i.URL}, public+"/mcp", c.now
		if edit != nil {
			edit(cfg)
		}
	}), i, c
}

func segment(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// The valid tokens of an issuer, and the responses to invalid ones.
func TestIssuersTokens(t *testing.T) {
	r, i, _ := newIssuerRig(t, func(cfg *Config) { cfg.OIDC.Scopes = []string{"notebooks", "kernels"} })
	const scope = "openid kernels notebooks"
	sign := func(key jose.JSONWebKey, claims map[string]any) string {
		t.Helper()
		all := map[string]any{"iss": i.URL, "sub": "ada", "aud": public + "/mcp", "exp": time.Now().Add(time.Hour).Unix(), "scope": scope}
		maps.Copy(all, claims)
		maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
		token, err := issuertest.Sign(key, all)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	token := func(claims map[string]any) string { t.Helper(); return sign(i.Key(), claims) }
	good := token(nil)
	parts := strings.Split(good, ".")
	forged, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(issuertest.Public(i.Key()))
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	shared := jose.JSONWebKey{Key: []byte("a key that the issuer shares with its clients"), KeyID: "shared", Algorithm: "HS256"}
	i.Publish(shared)
	i.Publish(jose.JSONWebKey{Key: &forged.PublicKey, KeyID: "sealing", Algorithm: "RSA-OAEP", Use: "enc"})
	for _, c := range []struct {
		name, token string
		status      int
		code, says  string
	}{
		{"good", good, 200, "", ""},
		{"a static one", token1, 200, "", ""},
		{"scopes in a list", token(map[string]any{"scope": nil, "scp": []string{"kernels", "notebooks"}}), 200, "", ""},
		{"scopes in the other place", token(map[string]any{"scope": nil, "scp": scope}), 200, "", ""},
		{"one of several audiences", token(map[string]any{"aud": []string{"other", public}}), 200, "", ""},
		{"expired", token(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), 401, "invalid_token", "expired"},
		{"without an end", token(map[string]any{"exp": nil}), 401, "invalid_token", "expired"},
		{"of tomorrow", token(map[string]any{"nbf": time.Now().Add(24 * time.Hour).Unix(), "exp": time.Now().Add(48 * time.Hour).Unix()}), 401, "invalid_token", "not a valid token"},
		{"for another server", token(map[string]any{"aud": "https://other.example.org/mcp"}), 401, "invalid_token", "audience"},
		{"for an unknown resource here", token(map[string]any{"aud": public + "/other"}), 401, "invalid_token", "audience"},
		{"for nobody", token(map[string]any{"aud": nil}), 401, "invalid_token", "audience"},
		{"of another issuer", token(map[string]any{"iss": "https://evil.example"}), 401, "invalid_token", "signed"},
		{"of nobody", token(map[string]any{"sub": ""}), 401, "invalid_token", "sub"},
		{"of too long a name", token(map[string]any{"sub": strings.Repeat("x", 256)}), 401, "invalid_token", "sub"},
		{"without scopes", token(map[string]any{"scope": nil}), 403, "insufficient_scope", "notebooks"},
		{"with one scope", token(map[string]any{"scope": "notebooks"}), 403, "insufficient_scope", "kernels"},
		{"with odd scopes", token(map[string]any{"scope": 5}), 401, "invalid_token", "scope"},
		{"signed by another key of the same name", sign(jose.JSONWebKey{Key: forged, KeyID: "first", Algorithm: "RS256"}, nil), 401, "invalid_token", "signed"},
		{"signed by another key", sign(jose.JSONWebKey{Key: forged, KeyID: "forged", Algorithm: "RS256"}, nil), 401, "invalid_token", "signed"},
		{"signed by a key for something else", sign(jose.JSONWebKey{Key: forged, KeyID: "sealing", Algorithm: "RS256"}, nil), 401, "invalid_token", "signed"},
		{"signed by another algorithm than the key's", sign(jose.JSONWebKey{Key: i.Key().Key, KeyID: "first", Algorithm: "RS512"}, nil), 401, "invalid_token", "signed"},
		{"not signed", segment(map[string]any{"alg": "none"}) + "." + parts[1] + ".", 401, "invalid_token", "signed"},
		{"signed with the public key", sign(jose.JSONWebKey{Key: text, KeyID: "first", Algorithm: "HS256"}, nil), 401, "invalid_token", "signed"},
		{"signed with a shared key", sign(shared, nil), 401, "invalid_token", "signed"},
		{"changed", parts[0] + "." + segment(map[string]any{"iss": i.URL, "sub": "eve", "aud": public, "exp": time.Now().Add(time.Hour).Unix(), "scope": scope}) + "." + parts[2], 401, "invalid_token", "signed"},
		{"cut", good[:len(good)-5], 401, "invalid_token", "signed"},
		{"in JSON", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, 401, "invalid_token", "JWT"},
		{"nothing but dots", "..", 401, "invalid_token", "signed"},
		{"a wrong static one", token2 + "x", 401, "invalid_token", "JWT"},
		{"a huge one", strings.Repeat("x", 20_000) + ".x.x", 401, "invalid_token", "longer"},
		{"none", "", 401, "", i.URL},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := *r
			at.t = t
			change := bearing(c.token)
			if c.token == "" {
				change = func(r *http.Request) { r.Header.Del("Authorization") }
			}
			for path, metadata := range map[string]string{"/tools/list": "/mcp", "/sse": "/sse"} {
				if path == "/sse" && c.status == 200 {
					continue // a stream
				}
				a := at.send("GET", path, "", change)
				at.wants(a, c.status, c.says)
				challenge := a.header.Get("WWW-Authenticate")
				if c.status == 200 {
					if challenge != "" {
						t.Errorf("WWW-Authenticate: %s", challenge)
					}
					continue
				}
				for _, want := range []string{`Bearer realm="nbduet"`, `resource_metadata="` + public + `/.well-known/oauth-protected-resource` + metadata + `"`, `scope="notebooks kernels"`} {
					if !strings.Contains(challenge, want) {
						t.Errorf("WWW-Authenticate lacks %s: %s", want, challenge)
					}
				}
				got := strings.Contains(challenge, `error="`+c.code+`"`)
				test.Eq(t, c.code != "", got, test.Sprint("WWW-Authenticate"))
				test.False(t, c.code == "" && strings.Contains(challenge, "error="), test.Sprint("WWW-Authenticate"))
			}
		})
	}
	for _, secret := range append(parts[1:], "ada", `"eve"`) {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// A subject has its own MCP sessions, and its own client without a session, whichever token it sends.
func TestSubjects(t *testing.T) {
	r, i, _ := newIssuerRig(t, nil)
	token := func(sub string) change { return bearing(i.Token(t, sub, public, nil)) }
	ada := token("ada")
	mine := r.begin(ada)
	r.wants(r.send("POST", "/mcp", call(2, "echo", "one"), mine, ada), 200, "one")
	refreshed := token("ada")
	r.wants(r.send("POST", "/mcp", call(3, "echo", "two"), mine, refreshed), 200, "two")
	for name, other := range map[string]change{"another subject": token("bob"), "a static token": bearing(token1), "one that looks alike": token("token 0")} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if a := r.send(method, "/mcp", map[string]string{"POST": call(4, "echo", "three")}[method], mine, other); a.status != 404 {
				t.Errorf("%s, %s: %+v", name, method, a)
			}
		}
	}
	st, endpoint := r.events(ada)
	r.wants(r.send("POST", endpoint, call(5, "echo", "four"), token("bob")), 404)
	r.wants(r.send("POST", endpoint, call(5, "echo", "five"), refreshed), 202)
	if _, err := st.until("five"); err != nil {
		t.Error(err)
	}
	r.wants(r.send("DELETE", "/mcp", "", mine, refreshed), 200)

	// Without sessions.
	for _, c := range []change{token("ada"), token("ada"), token("bob"), bearing(token1), bearing(token2), bearing(token1)} {
		body, headers := modern(6, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"mark": "six"}})
		r.wants(r.send("POST", "/mcp", body, append(headers, c)...), 200, "six")
		r.wants(r.send("GET", "/tools/list", "", c), 200)
	}
	if n := r.s.principals.count(); n != 4 {
		t.Errorf("%d principals, want 4", n)
	}
}

// The issuer can have more subjects than the limit: then the one silent for longest is removed.
func TestManySubjects(t *testing.T) {
	r, i, _ := newIssuerRig(t, func(cfg *Config) { cfg.Limits.Clients = 2 })
	token := func(sub string) change { return bearing(i.Token(t, sub, public, nil)) }
	call := func(mark string) string {
		return `{"tool_name":"wait","arguments":{"mark":"` + mark + `"}}`
	}
	ended := r.hold("/tools/call", call("first"), "first", token("first"))
	for _, sub := range []string{"second", "third", "first", "fourth"} {
		r.wants(r.send("GET", "/tools/list", "", token(sub)), 200)
	}
	if n := r.s.principals.count(); n != 2 {
		t.Errorf("%d principals, want 2", n)
	}
	again := r.hold("/tools/call", call("fourth"), "fourth", token("fourth"))
	a := r.send("GET", "/tools/list", "", token("fifth"))
	r.wants(a, 503, "too many clients")
	if a.header.Get("Retry-After") == "" {
		t.Error("Retry-After is missing")
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	<-ended
	<-again
}
