package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"
)

const (
	// keysFresh is how long an issuer's keys are used without reading them again, so a revoked key stays valid that long.
	keysFresh = 15 * time.Minute
	// keysStale is how long they are used if they cannot be read again.
	keysStale = time.Hour
	// readEvery is the least time between two readings, whatever clients send; readBurst is how many may follow at once.
	readEvery = 10 * time.Second
	readBurst = 2
	// readTime bounds one reading.
	readTime = 10 * time.Second
	// maxKeys bounds the keys of an issuer.
	maxKeys = 100
)

var (
	// errIssuer matches errors that do not concern the token.
	errIssuer = errors.New("the issuer's keys cannot be read")
	errSigned = errors.New("no key of the issuer signed the token")
)

// A keyring has the keys of an issuer. It reads them when the first token arrives, when they are old, and when a token names
// an unknown key.
//
// It finds the issuer with go-oidc, but keeps the keys itself. An [oidc.RemoteKeySet] never forgets a key that the issuer
// has revoked, uses a key with algorithms that it is not for, accepts no keys if one of them is invalid, and may check a
// token against a reading that ended before the token arrived.
type keyring struct {
	issuer  string
	client  *http.Client
	log     *slog.Logger
	ctx     context.Context // cancels readings
	now     func() time.Time
	limiter *rate.Limiter
	lock    chan struct{} // held by the goroutine that reads the keys
	last    atomic.Pointer[reading]
}

// A reading is the result of one attempt to read the keys.
type reading struct {
	keys []jose.JSONWebKey // of the last successful reading
	at   time.Time         // time of that reading; zero for never
	err  error
}

func newKeyring(stay context.Context, cfg Config) *keyring {
	k := &keyring{
		issuer: cfg.OIDC.Issuer, client: issuerClient(), log: cfg.Logger, ctx: stay, now: cfg.now,
		limiter: rate.NewLimiter(rate.Every(readEvery), readBurst), lock: make(chan struct{}, 1),
	}
	k.last.Store(&reading{})
	return k
}

// verify checks a token's signature, and returns the signed payload.
func (k *keyring) verify(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, signing)
	if err != nil {
		return nil, fmt.Errorf("parse the token: %w", err)
	}
	head := jws.Signatures[0].Protected
	for _, again := range []bool{false, true} {
		keys, err := k.get(ctx, again)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if (head.KeyID != "" && key.KeyID != head.KeyID) || (key.Algorithm != "" && key.Algorithm != head.Algorithm) {
				continue
			}
			if payload, err := jws.Verify(key.Key); err == nil {
				return payload, nil
			}
		}
		if head.KeyID != "" && slices.ContainsFunc(keys, func(key jose.JSONWebKey) bool { return key.KeyID == head.KeyID }) {
			break // reading the key again does not change it
		}
	}
	return nil, errSigned
}

// get returns the keys; with again it reads them anew if the rate limit allows it.
func (k *keyring) get(ctx context.Context, again bool) ([]jose.JSONWebKey, error) {
	last := k.last.Load()
	if !again && k.now().Sub(last.at) < keysFresh {
		return last.keys, nil
	}
	select {
	case k.lock <- struct{}{}:
		defer func() { <-k.lock }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k.last.Load() == last && k.limiter.AllowN(k.now(), 1) { // not read meanwhile
		k.read()
	}
	last = k.last.Load()
	if last.err != nil && (again || k.now().Sub(last.at) >= keysStale) {
		return nil, fmt.Errorf("%w: %w", errIssuer, last.err)
	}
	return last.keys, nil
}

// read reads the keys. If that fails, it keeps the old ones.
func (k *keyring) read() {
	now := reading{at: k.now()}
	if now.keys, now.err = k.fetch(); now.err != nil {
		k.log.Warn("the token issuer's keys could not be read", "issuer", k.issuer, "error", now.err)
		last := k.last.Load()
		now.keys, now.at = last.keys, last.at
	}
	k.last.Store(&now)
}

// fetch reads the keys from the address that the issuer publishes. It does not end with the request that needs them, because
// other requests wait for them, too.
func (k *keyring) fetch() (usable []jose.JSONWebKey, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read the issuer's keys: %.300w", err)
		}
	}()
	ctx, cancel := context.WithTimeout(k.ctx, readTime)
	defer cancel()
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, k.client), k.issuer)
	if err != nil {
		return nil, err
	}
	var at struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&at); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.Keys, nil)
	if err != nil {
		return nil, err
	}
	res, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(res.Body).Decode(&set); err != nil {
		return nil, err
	}
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var key jose.JSONWebKey
		// Keys of unknown types, encryption keys and shared keys cannot check signatures.
		if key.UnmarshalJSON(raw) == nil && key.IsPublic() && key.Valid() && (key.Use == "" || key.Use == "sig") {
			usable = append(usable, key)
		}
	}
	if len(usable) == 0 {
		return nil, errors.New("the issuer publishes no usable signing key")
	}
	return usable, nil
}
