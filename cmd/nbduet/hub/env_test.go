package hub

import (
	"maps"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"
)

// managed is the environment of a service that a hub starts.
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
	test.Eq(t, "http://127.0.0.1:8000/pre", s.Servers)
	test.Eq(t, "127.0.0.1:10101", s.Address)
	must.SliceLen(t, 2, s.Access)
	test.Eq(t, []string{"127.0.0.1", "127.0.0.1"}, s.Hosts)
	l := s.Login
	test.Eq(t, "http://127.0.0.1:8000/pre/services/nbduet", l.URL)
	test.Eq(t, "http://127.0.0.1:8000/pre/hub/api/oauth2/authorize", l.Authorize)
	test.Eq(t, "http://127.0.0.1:8081/pre/hub/api/oauth2/token", l.Token)
	test.Eq(t, "service-nbduet", l.ClientID)
	test.Eq(t, "the secret", l.Secret)
	test.Eq(t, "/pre/services/nbduet/oauth_callback", l.Callback)
	// In a cluster, the proxy has one name inside and another outside.
	s, err = read(map[string]string{"CLIENT_ID": "", "OAUTH_CALLBACK_URL": "https://hub.example.org/cb", "SERVICE_URL": ""}, "http://proxy-public/pre", "https://hub.example.org/pre/services/nbduet/mcp")
	if err != nil {
		t.Fatal(err)
	}
	l = s.Login
	test.Eq(t, "http://proxy-public/pre", s.Servers)
	test.Eq(t, "", s.Address)
	test.Eq(t, "https://hub.example.org/pre/services/nbduet", l.URL)
	test.Eq(t, "service-nbduet", l.ClientID)
	test.Eq(t, "https://hub.example.org/pre/hub/api/oauth2/authorize", l.Authorize)
	test.Eq(t, "https://hub.example.org/cb", l.Callback)
	test.Eq(t, "hub.example.org", s.Hosts[0])
	s, err = read(map[string]string{"PUBLIC_HUB_URL": "https://hub.example.org/pre/hub/", "PUBLIC_URL": "https://hub.example.org/pre/services/nbduet/"}, "", "")
	must.NoError(t, err)
	test.Eq(t, "https://hub.example.org/pre", s.Servers)
	test.Eq(t, "https://hub.example.org/pre/services/nbduet", s.Login.URL)
	test.Eq(t, "https://hub.example.org/pre/hub/api/oauth2/authorize", s.Login.Authorize)
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
		_, err := read(map[string]string{c.name: c.value}, c.hub, c.public)
		must.Error(t, err)
		test.StrContains(t, err.Error(), c.want)
	}
}
