package login

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The kinds of sealed values. A value of one kind cannot be used as another.
const (
	sealedClient = "client" // a client's registration, used as its id
	sealedState  = "state"  // a login in progress at the hub
	sealedGrant  = "grant"  // a login that waits for the person's consent
	sealedCode   = "code"   // for a client, to exchange for a token
	sealedToken  = "token"
)

var (
	errSeal = errors.New("it is not from this server")
	errLate = errors.New("it has expired")
)

// A sealer seals values so that only programs with the same secret can read or create them.
type sealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

func newSealer(secret string, now func() time.Time) (*sealer, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "nbduet hub service: logins, v1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the service's key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive the service's key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("derive the service's key: %w", err)
	}
	return &sealer{aead, now}, nil
}

// envelope is the sealed content.
type envelope struct {
	Until int64           `json:"u"` // Unix time; 0 means forever
	Value json.RawMessage `json:"v"`
}

// seal seals a value of a kind, valid until then; the zero time means forever.
func (s *sealer) seal(kind string, v any, until time.Time) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	e := envelope{Value: b}
	if !until.IsZero() {
		e.Until = until.Unix()
	}
	if b, err = json.Marshal(e); err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, b, []byte(kind))), nil
}

// open reads a sealed value of a kind.
func (s *sealer) open(kind, sealed string, v any) (until time.Time, err error) {
	b, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return time.Time{}, errSeal
	}
	if b, err = s.aead.Open(nil, nil, b, []byte(kind)); err != nil {
		return time.Time{}, errSeal
	}
	var e envelope
	if err := json.Unmarshal(b, &e); err != nil {
		return time.Time{}, errSeal
	}
	if e.Until != 0 {
		if until = time.Unix(e.Until, 0); !s.now().Before(until) {
			return until, errLate
		}
	}
	if json.Unmarshal(e.Value, v) != nil {
		return until, errSeal
	}
	return until, nil
}

// newNonce returns a text that cannot be guessed.
func newNonce() string { return rand.Text() }
