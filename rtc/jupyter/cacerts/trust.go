// Package cacerts loads trusted certificate authorities, and explains why a certificate is not trusted.
package cacerts

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// most bounds the size of a certificate file, in bytes.
const most = 16 << 20

// Load returns the system's certificate authorities together with those of a PEM file. The error is a [faults.CAFile]
// fault.
func Load(file string) (*x509.CertPool, error) {
	wrong := func(format string, args ...any) error {
		return faults.New(faults.CAFile, faults.Values{Detail: fmt.Sprintf(format, args...)})
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, wrong("%s", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, wrong("%s", err)
	case len(text) > most:
		return nil, wrong("%s is longer than %d MiB", file, most>>20)
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // the system has no pool
		roots = x509.NewCertPool()
	}
	added := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue // a key, or parameters
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, wrong("a certificate in %s cannot be read: %s", file, strings.TrimPrefix(err.Error(), "x509: "))
		}
		roots.AddCert(cert)
		added++
	}
	if added == 0 {
		return nil, wrong("%s has no certificate in it", file)
	}
	return roots, nil
}

// Config returns the TLS configuration that trusts the given authorities; nil for nil, the usual case.
func Config(roots *x509.CertPool) *tls.Config {
	if roots == nil {
		return nil
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// Fault returns the fault of an untrusted certificate, and a detail for its sentence; code is "" for any other error.
func Fault(err error) (code faults.Code, detail string) {
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return faults.CertificateName, strings.TrimPrefix(name.Error(), "x509: ")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return faults.CertificateExpired, ""
	case errors.As(err, &invalid), errors.As(err, new(x509.UnknownAuthorityError)), errors.As(err, new(*tls.CertificateVerificationError)):
		return faults.PrivateCA, ""
	}
	return "", ""
}
