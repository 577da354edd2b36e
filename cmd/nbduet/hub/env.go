// Package hub runs the program as a JupyterHub service. Each user works on their own server.
package hub

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/nbduet/nbduet/tools/serve/hubservice/login"
)

// Settings come from the environment that a JupyterHub sets for its services; flags take precedence.
type Settings struct {
	// API is the address of the hub's API, and Prefix the path that the hub's proxy forwards to the service.
	API, Prefix string
	// Servers is the address of the hub for this program; users' servers are below it.
	Servers string
	// Access is a list of scopes. A token needs one of them.
	Access []string
	// Hosts are the host names that requests use for the service.
	Hosts []string
	// Address is the host and port to listen on, or "" if the hub sets none.
	Address string
	Login   login.Config
}

// Read reads the settings from variables, which env returns. hubURL and publicURL are the flags --jupyter-url and
// --resource-url, or "".
func Read(env func(string) string, hubURL, publicURL string) (*Settings, error) {
	get := func(name string) string { return strings.TrimSpace(env("JUPYTERHUB_" + name)) }
	s := &Settings{API: get("API_URL"), Prefix: get("SERVICE_PREFIX")}
	secret := get("API_TOKEN")
	for _, need := range [][2]string{{"API_URL", s.API}, {"API_TOKEN", secret}, {"SERVICE_PREFIX", s.Prefix}} {
		if need[1] == "" {
			return nil, fmt.Errorf("JUPYTERHUB_%s is missing: a JupyterHub sets it for the services that it starts; for others, copy it from the hub's configuration", need[0])
		}
	}
	if text := get("OAUTH_ACCESS_SCOPES"); text != "" {
		if err := json.Unmarshal([]byte(text), &s.Access); err != nil {
			return nil, fmt.Errorf("JUPYTERHUB_OAUTH_ACCESS_SCOPES: %q is not a list in JSON: %w", text, err)
		}
	}
	public := strings.TrimSuffix(get("PUBLIC_HUB_URL"), "/")
	s.Servers = strings.TrimSuffix(cmp.Or(strings.TrimSpace(hubURL), strings.TrimSuffix(public, "/hub")), "/")
	if s.Servers == "" {
		return nil, errors.New("--jupyter-url (JUPYTER_SERVER_URL): give the address of the hub, with its prefix if it has one, such as http://127.0.0.1:8000")
	}
	at, err := site(s.Servers)
	if err != nil {
		return nil, fmt.Errorf("--jupyter-url: %q is not the address of a hub, such as http://127.0.0.1:8000", s.Servers)
	}
	address := cmp.Or(strings.TrimSpace(publicURL), get("PUBLIC_URL"), at.Scheme+"://"+at.Host+s.Prefix)
	address = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/mcp"), "/")
	outside, err := site(address)
	if err != nil {
		return nil, fmt.Errorf("--resource-url: %q is not the service's public address, such as https://hub.example.org/services/nbduet", address)
	}
	s.Hosts = []string{outside.Hostname(), at.Hostname()}
	public = cmp.Or(public, outside.Scheme+"://"+outside.Host+strings.TrimSuffix(get("BASE_URL"), "/")+"/hub")
	s.Login = login.Config{
		URL: address, Authorize: public + "/api/oauth2/authorize", Token: strings.TrimSuffix(s.API, "/") + "/oauth2/token",
		ClientID: cmp.Or(get("CLIENT_ID"), "service-"+get("SERVICE_NAME")), Secret: secret,
		Callback: cmp.Or(get("OAUTH_CALLBACK_URL"), strings.TrimSuffix(s.Prefix, "/")+"/oauth_callback"),
	}
	if own := get("SERVICE_URL"); own != "" {
		u, err := site(own)
		if err != nil || u.Port() == "" {
			return nil, fmt.Errorf("JUPYTERHUB_SERVICE_URL: %q has no port to listen on", own)
		}
		s.Address = net.JoinHostPort(u.Hostname(), u.Port())
	}
	return s, nil
}

// site parses an HTTP address.
func site(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err == nil && (u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https") {
		err = errors.New("no host")
	}
	return u, err
}
