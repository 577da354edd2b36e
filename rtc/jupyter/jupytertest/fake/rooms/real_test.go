package rooms

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// local is our server.
type local struct{ *world }

func (l local) open(format, typ, path, session string) (*peer, error) {
	if session == "" {
		session = "session"
	}
	return l.dialRoom(format + ":" + typ + ":" + l.id(path) + "?sessionId=" + session)
}

func (l local) openRoom(id string) (*peer, error) { return l.dialRoom(id) }

func (l local) dialRoom(room string) (*peer, error) {
	return dialRoom(l.t, websocket.Dialer{NetDialContext: l.net.dial}, "ws://server/api/collaboration/room/"+room)
}

// real is a real server. Its files are in a separate folder.
type real struct {
	t                       *testing.T
	base, token, root, name string
}

func newReal(t *testing.T, base string) *real {
	r := &real{t: t, base: strings.TrimRight(base, "/"), token: os.Getenv("NBDUET_TEST_SERVER_TOKEN"), root: os.Getenv("NBDUET_TEST_SERVER_ROOT")}
	r.name = "rooms-" + rand.Text()[:8]
	if err := os.Mkdir(filepath.Join(r.root, r.name), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *real) os(path string) string { return filepath.Join(r.root, r.name, path) }

func (r *real) write(path, content string) string {
	replaceFile(r.t, r.os(path), content)
	return path
}

func (r *real) file(path string) string {
	b, err := os.ReadFile(r.os(path))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r *real) call(method, path string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "token "+r.token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}

func (r *real) rename(path, to string) error {
	return r.call(http.MethodPatch, "/api/contents/"+r.name+"/"+path, map[string]any{"path": r.name + "/" + to}, nil)
}

func (r *real) erase(path string) error {
	return r.call(http.MethodDelete, "/api/contents/"+r.name+"/"+path, nil, nil)
}

func (r *real) open(format, typ, path, session string) (*peer, error) {
	var s struct{ FileID, SessionID string }
	if err := r.call(http.MethodPut, "/api/collaboration/session/"+r.name+"/"+path, map[string]any{"format": format, "type": typ}, &s); err != nil {
		return nil, err
	}
	if session == "" {
		session = s.SessionID
	}
	return r.openRoom(format + ":" + typ + ":" + s.FileID + "?sessionId=" + session)
}

func (r *real) openRoom(id string) (*peer, error) {
	u, err := url.Parse(r.base)
	if err != nil {
		return nil, err
	}
	sep := "?"
	if strings.Contains(id, "?") {
		sep = "&"
	}
	return dialRoom(r.t, websocket.Dialer{}, "ws://"+u.Host+u.Path+"/api/collaboration/room/"+id+sep+"token="+r.token)
}
