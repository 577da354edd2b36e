package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

const (
	// keysFresh is for how long an issuer's keys are used without reading them again: so long may one live on that the
	// issuer has withdrawn.
	keysFresh = 15 * time.Minute
	// keysStale is for how long they are used when they cannot be read again.
	keysStale = time.Hour
	// readEvery is how often they are read at most, whatever clients send, and readBurst how often at once.
	readEvery = 10 * time.Second
	readBurst = 2
	// readTime bounds one reading.
	readTime = 10 * time.Second
	// maxKeys bounds the keys of an issuer.
	maxKeys = 100
)

var (
	// errIssuer is matched by errors that are not the token's fault.
	errIssuer = errors.New("the issuer's keys cannot be read")
	errSigned = errors.New("the token is not signed with a key of the issuer's")
)

// A keyring has the keys of an issuer. They are read when they are needed first, when they are old, and when a token names
// one that is not there.
type keyring struct {
	issuer string
	client *http.Client
	log    *slog.Logger
	stay   context.Context // ends readings
	now    func() time.Time
	turn   chan struct{} // has one place, taken by who reads

	mu    sync.Mutex
	keys  []jose.JSONWebKey
	read  time.Time // when keys were read; zero for never
	tries int       // how often it was tried
	err   error     // of the last try
	spent time.Time // up to when the tries so far use up what may be tried
}

func newKeyring(stay context.Context, cfg Config) *keyring {
	return &keyring{issuer: cfg.OIDC.Issuer, client: issuerClient(), log: cfg.Logger, stay: stay, now: cfg.now, turn: make(chan struct{}, 1)}
}

// verify checks a token's signature, and returns what is signed.
func (k *keyring) verify(ctx context.Context, token string) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, signing)
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
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
			break // reading the key again makes no other of it
		}
	}
	return nil, errSigned
}

// get gives the keys; again asks for those that the issuer has now, as far as it may be asked.
func (k *keyring) get(ctx context.Context, again bool) ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	keys, seen := k.keys, k.tries
	fresh := !k.read.IsZero() && k.now().Sub(k.read) < keysFresh
	k.mu.Unlock()
	if fresh && !again {
		return keys, nil
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k.begin(seen) {
		k.end(k.fetch())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	usable := !k.read.IsZero() && k.now().Sub(k.read) < keysStale
	if k.err != nil && (again || !usable) {
		return nil, fmt.Errorf("%w: %w", errIssuer, k.err)
	}
	return k.keys, nil
}

// begin tells whether the keys may be read, and are to be: nobody has tried since tries were counted.
func (k *keyring) begin(tries int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if k.spent.Before(now) {
		k.spent = now
	}
	if k.tries != tries || k.spent.Sub(now) > (readBurst-1)*readEvery {
		return false
	}
	k.spent = k.spent.Add(readEvery)
	k.tries++
	return true
}

// end notes what came of it.
func (k *keyring) end(keys []jose.JSONWebKey, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err != nil {
		k.log.Warn("the keys of the tokens' issuer could not be read", "issuer", k.issuer, "error", err)
		return
	}
	k.keys, k.read = keys, k.now()
}

// fetch asks the issuer where its keys are, and reads them. It does not end with the request that needs them: others
// wait for them as well.
func (k *keyring) fetch() ([]jose.JSONWebKey, error) {
	ctx, cancel := context.WithTimeout(k.stay, readTime)
	defer cancel()
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, k.client), k.issuer)
	if err != nil {
		return nil, fmt.Errorf("ask the issuer: %.300w", err)
	}
	var said struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&said); err != nil {
		return nil, fmt.Errorf("ask the issuer where its keys are: %w", err)
	}
	at, err := url.Parse(said.Keys)
	if err == nil {
		err = safe(at)
	}
	if err != nil {
		return nil, fmt.Errorf("the address of the issuer's keys: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	res, err := k.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the issuer's keys: %s", res.Status)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(res.Body).Decode(&set); err != nil {
		return nil, fmt.Errorf("read the issuer's keys: %w", err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var key jose.JSONWebKey
		// Keys of kinds that are not known here, for encryption or shared ones are none to check signatures with.
		if key.UnmarshalJSON(raw) == nil && key.IsPublic() && key.Valid() && (key.Use == "" || key.Use == "sig") {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the issuer has no keys to check signatures with")
	}
	return keys, nil
}
