package hub

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

// managed is what a hub gives a service that it starts.
var managed = map[string]string{
	"API_URL": "http://127.0.0.1:8081/pre/hub/api", "API_TOKEN": "the secret", "SERVICE_PREFIX": "/pre/services/nbduet/", "SERVICE_NAME": "nbduet",
	"CLIENT_ID": "service-nbduet", "BASE_URL": "/pre/", "SERVICE_URL": "http://127.0.0.1:10101", "OAUTH_ACCESS_SCOPES": `["access:services", "access:services!service=nbduet"]`,
}

func read(changes map[string]string, hubURL, publicURL string) (*Settings, error) {
	all := maps.Clone(managed)
	maps.Copy(all, changes)
	return Read(func(name string) string { return all[strings.TrimPrefix(name, "JUPYTERHUB_")] }, hubURL, publicURL)
}

func TestRead(t *testing.T) {
	s, err := read(nil, "http://127.0.0.1:8000/pre/", "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Servers != "http://127.0.0.1:8000/pre" || s.Address != "127.0.0.1:10101" || len(s.Access) != 2 || !reflect.DeepEqual(s.Hosts, []string{"127.0.0.1", "127.0.0.1"}) {
		t.Errorf("%+v", s)
	}
	l := s.Login
	if l.URL != "http://127.0.0.1:8000/pre/services/nbduet" || l.Authorize != "http://127.0.0.1:8000/pre/hub/api/oauth2/authorize" ||
		l.Token != "http://127.0.0.1:8081/pre/hub/api/oauth2/token" || l.ClientID != "service-nbduet" || l.Secret != "the secret" || l.Callback != "/pre/services/nbduet/oauth_callback" {
		t.Errorf("%+v", l)
	}
	// In a cluster, the proxy has one name inside and another outside.
	s, err = read(map[string]string{"CLIENT_ID": "", "OAUTH_CALLBACK_URL": "https://hub.example.org/cb", "SERVICE_URL": ""}, "http://proxy-public/pre", "https://hub.example.org/pre/services/nbduet/mcp")
	if err != nil {
		t.Fatal(err)
	}
	if l = s.Login; s.Servers != "http://proxy-public/pre" || s.Address != "" || l.URL != "https://hub.example.org/pre/services/nbduet" || l.ClientID != "service-nbduet" ||
		l.Authorize != "https://hub.example.org/pre/hub/api/oauth2/authorize" || l.Callback != "https://hub.example.org/cb" || s.Hosts[0] != "hub.example.org" {
		t.Errorf("%+v", s)
	}
	s, err = read(map[string]string{"PUBLIC_HUB_URL": "https://hub.example.org/pre/hub/", "PUBLIC_URL": "https://hub.example.org/pre/services/nbduet/"}, "", "")
	if err != nil || s.Servers != "https://hub.example.org/pre" || s.Login.URL != "https://hub.example.org/pre/services/nbduet" || s.Login.Authorize != "https://hub.example.org/pre/hub/api/oauth2/authorize" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestReadBad(t *testing.T) {
	for _, c := range []struct {
		name, value, hub, public, want string
	}{
		{"API_URL", "", "http://h", "", "JUPYTERHUB_API_URL is missing"},
		{"API_TOKEN", " ", "http://h", "", "JUPYTERHUB_API_TOKEN is missing"},
		{"SERVICE_PREFIX", "", "http://h", "", "JUPYTERHUB_SERVICE_PREFIX is missing"},
		{"OAUTH_ACCESS_SCOPES", "access:services", "http://h", "", "not a list in JSON"},
		{"SERVICE_URL", "http://127.0.0.1", "http://h", "", "no port"},
		{"NONE", "", "", "", "--jupyter-url (JUPYTER_SERVER_URL)"},
		{"NONE", "", "hub:8000", "", "not the address of a hub"},
		{"NONE", "", "http://h", "ftp://x", "--resource-url"},
	} {
		if _, err := read(map[string]string{c.name: c.value}, c.hub, c.public); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
