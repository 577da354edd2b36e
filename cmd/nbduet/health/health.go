// Package health asks a program that serves HTTP whether it works, for containers whose images have no other HTTP client.
package health

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"
)

// askTime bounds one request. Containers wait longer before they give up.
const askTime = 5 * time.Second

const path = "/healthz"

// Local returns the health address of a server that listens on this machine at the given host and port.
func Local(host string, port int, encrypted bool) string {
	scheme := lo.Ternary(encrypted, "https", "http")
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() { // all addresses of this machine
		host = "127.0.0.1"
		if ip.To4() == nil {
			host = "::1"
		}
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port)) + path
}

// URL returns the health address of a server, given its address or that of its MCP endpoint.
func URL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", fmt.Errorf("%q is not an address, such as http://127.0.0.1:3001", address)
	}
	base := strings.TrimRight(u.Path, "/")
	for _, end := range []string{"/mcp", "/sse", path} {
		base = strings.TrimSuffix(base, end)
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment, u.User = base+path, "", "", "", nil
	return u.String(), nil
}

// Ask asks at an address and writes a line if the server works; otherwise the error says what it answered.
func Ask(ctx context.Context, address string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	// No proxy, and no certificate check, because the name would not match: the request has no secrets, and the answer only
	// shows that a server is there.
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	var wrong *url.Error
	if errors.As(err, &wrong) {
		err = wrong.Err // the message has the address anyway
	}
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", address, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, res.Status)
	}
	_, err = fmt.Fprintf(out, "nbduet works: %s answers %s\n", address, res.Status)
	return err
}
