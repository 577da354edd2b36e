package seeds

import (
	"bufio"
	"io"
	"net/http"
	"strings"
)

// A site is an HTTP service at an address that needs a login.
type site struct {
	c          *check
	url, login string
}

// send sends a request. The caller closes the answer's body.
func (s site) send(method, path, body string, header ...string) *http.Response {
	s.c.Helper()
	req, err := http.NewRequestWithContext(s.c.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.c.Fatal(err)
	}
	req.Header.Set("Authorization", s.login)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		s.c.Fatal(err)
	}
	return resp
}

// request sends a request and returns the answer's status, header and body.
func (s site) request(method, path, body string, header ...string) (int, http.Header, string) {
	s.c.Helper()
	resp := s.send(method, path, body, header...)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.c.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}

// events opens a stream of events until the test ends. next returns the next event: its name and its data.
func (s site) events(path string) (next func() [2]string) {
	s.c.Helper()
	resp := s.send(http.MethodGet, path, "")
	s.c.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() (event [2]string) {
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				event[0] = name
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				event[1] = data
				break
			}
		}
		return event
	}
}
