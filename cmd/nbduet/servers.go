package main

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/cacerts"
)

// serverFlags name the Jupyter server, or a document server and a kernel server, and the initial notebook and kernel.
type serverFlags struct {
	JupyterURL   string `name:"jupyter-url" env:"JUPYTER_SERVER_URL" placeholder:"URL" help:"Address of the Jupyter server, with its path prefix. Without it, nbduet uses the server that runs on this machine, if there is exactly one; if none is found and a token is given, http://localhost:8888."`
	Token        string `name:"token" env:"JUPYTER_TOKEN" placeholder:"TOKEN" help:"Token of the Jupyter server. Give it in the environment, where other users cannot see it. Without it, nbduet uses the token of a server found on this machine."`
	TokenFile    string `name:"token-file" env:"JUPYTER_TOKEN_FILE" placeholder:"FILE" help:"File with the token; overrides --token."`
	Password     string `name:"password" env:"JUPYTER_PASSWORD" placeholder:"PASSWORD" help:"Password of a Jupyter server that has no token: nbduet logs in with it as people do. Give it in the environment, where other users cannot see it. A token overrides it."`
	PasswordFile string `name:"password-file" env:"JUPYTER_PASSWORD_FILE" placeholder:"FILE" help:"File with the password; overrides --password."`

	CAFile string `name:"ca-file" env:"NBDUET_CA_FILE" placeholder:"FILE" help:"File (PEM) with more certificates to trust, of authorities or of the Jupyter servers themselves: for https with a private authority. It applies to all Jupyter servers."`

	DocumentURL       string `name:"document-url" env:"NBDUET_DOCUMENT_URL,DOCUMENT_URL" placeholder:"URL" help:"Address of the Jupyter server that has the notebooks and files, in place of --jupyter-url. It has the kernels, too, unless --runtime-url or --jupyter-url names another server. \"local\" is the server of --jupyter-url, or the server on this machine."`
	DocumentToken     string `name:"document-token" env:"NBDUET_DOCUMENT_TOKEN,DOCUMENT_TOKEN" placeholder:"TOKEN" help:"That server's token, in place of --token."`
	DocumentTokenFile string `name:"document-token-file" env:"NBDUET_DOCUMENT_TOKEN_FILE,DOCUMENT_TOKEN_FILE" placeholder:"FILE" help:"File with that token; overrides --document-token."`
	DocumentID        string `name:"document-id" env:"NBDUET_DOCUMENT_ID,DOCUMENT_ID" placeholder:"PATH" help:"Notebook that each client begins with, relative to the root folder of the document server."`
	RuntimeURL        string `name:"runtime-url" env:"NBDUET_RUNTIME_URL,RUNTIME_URL" placeholder:"URL" help:"Address of the Jupyter server that has the kernels, in place of --jupyter-url. It has the documents, too, unless --document-url or --jupyter-url names another server. \"local\" is as for --document-url."`
	RuntimeToken      string `name:"runtime-token" env:"NBDUET_RUNTIME_TOKEN,RUNTIME_TOKEN" placeholder:"TOKEN" help:"That server's token, in place of --token."`
	RuntimeTokenFile  string `name:"runtime-token-file" env:"NBDUET_RUNTIME_TOKEN_FILE,RUNTIME_TOKEN_FILE" placeholder:"FILE" help:"File with that token; overrides --runtime-token."`
	RuntimeID         string `name:"runtime-id" env:"NBDUET_RUNTIME_ID,RUNTIME_ID" placeholder:"ID" help:"Id of a running kernel for the cells of --document-id. Without it, the notebook's own kernel is found or started."`
}

// The roles of two servers, as in jupyter.Options and the flags' names.
const (
	roleDocument = "document"
	roleRuntime  = "runtime"
)

// localServer is the address that means --jupyter-url or, without that flag, the server found on this machine.
const localServer = "local"

// An endpoint is a Jupyter server and how to reach it; without an address, the server found on this machine.
type endpoint struct {
	url, token string
	role       string // "" if there is only one server
	password   string // of the default server
}

// serverSettings are the checked serverFlags. Both endpoints are equal if there is one server.
type serverSettings struct {
	roots              *x509.CertPool // nil for the system's
	documents, kernels endpoint
	notebook           jupyter.Path // opened by each client at the start; the root for none
	kernelID           string       // of the notebook; "" for its own kernel
}

// roleFlags are the flags of one role.
type roleFlags struct {
	role, url, token string
	local            bool // the address is "local"
}

// check determines the servers. An error about conflicting flags names them.
func (f serverFlags) check() (s serverSettings, err error) {
	usual := endpoint{url: strings.TrimSpace(f.JupyterURL), token: strings.TrimSpace(f.Token), password: f.Password}
	if err := cmp.Or(
		fileInto("token-file", &usual.token, f.TokenFile, readToken),
		fileInto("password-file", &usual.password, f.PasswordFile, readPassword),
		fileInto("ca-file", &s.roots, f.CAFile, cacerts.Load),
	); err != nil {
		return serverSettings{}, err
	}
	docs, err := newRole(roleDocument, f.DocumentURL, f.DocumentToken, f.DocumentTokenFile)
	if err != nil {
		return serverSettings{}, err
	}
	kerns, err := newRole(roleRuntime, f.RuntimeURL, f.RuntimeToken, f.RuntimeTokenFile)
	if err != nil {
		return serverSettings{}, err
	}
	if err := unused(usual, docs, kerns); err != nil {
		return serverSettings{}, err
	}
	s.documents, s.kernels = docs.endpoint(usual, kerns), kerns.endpoint(usual, docs)
	if sameAddress(s.documents.url, s.kernels.url) {
		if docs.token != "" && kerns.token != "" && docs.token != kerns.token {
			return serverSettings{}, errors.New("--document-token and --runtime-token differ, but both are for one server: give one token")
		}
		s.documents.token = cmp.Or(docs.token, kerns.token, s.documents.token, s.kernels.token)
		s.documents.password = cmp.Or(s.documents.password, s.kernels.password)
		s.documents.role = ""
		s.kernels = s.documents
	}
	if f.DocumentID != "" {
		if s.notebook, err = jupyter.ParsePath(f.DocumentID); err != nil || s.notebook.IsRoot() {
			return serverSettings{}, fmt.Errorf("--document-id: %q is not the path of a notebook on the Jupyter server", f.DocumentID)
		}
	}
	if s.kernelID = strings.TrimSpace(f.RuntimeID); s.kernelID != "" && s.notebook.IsRoot() {
		return serverSettings{}, errors.New("--runtime-id: the notebook of this kernel is missing: add --document-id")
	}
	return s, nil
}

// newRole reads the flags of one role.
func newRole(role, address, token, tokenFile string) (roleFlags, error) {
	s := roleFlags{role: role, url: strings.TrimSpace(address), token: strings.TrimSpace(token)}
	if err := fileInto(role+"-token-file", &s.token, tokenFile, readToken); err != nil {
		return s, err
	}
	if strings.EqualFold(s.url, localServer) {
		s.url, s.local = "", true
	}
	if s.url == "" {
		return s, nil
	}
	if _, err := jupyter.New(jupyter.Options{URL: s.url, Token: s.token, Role: role}); err != nil {
		return s, fmt.Errorf("--%s-url: %w", role, err)
	}
	if u, err := url.Parse(s.url); err == nil { // a token in an address takes precedence everywhere
		s.token = cmp.Or(strings.TrimSpace(u.Query().Get("token")), s.token)
	}
	return s, nil
}

// endpoint returns the server of a role. Without an address for it, the other role's address applies.
func (s roleFlags) endpoint(usual endpoint, other roleFlags) endpoint {
	switch {
	case s.url != "":
	case usual.url == "" && !s.local && other.url != "":
		of := other.endpoint(usual, s)
		return endpoint{other.url, cmp.Or(s.token, of.token), s.role, of.password}
	default:
		return endpoint{usual.url, cmp.Or(s.token, usual.token), s.role, usual.password}
	}
	// A different server must not see the default server's token or password.
	if usual.url == "" && !other.local || usual.url != "" && sameAddress(usual.url, s.url) {
		return endpoint{s.url, cmp.Or(s.token, usual.token), s.role, usual.password}
	}
	return endpoint{s.url, s.token, s.role, ""}
}

// unused returns an error if both other addresses replace --jupyter-url. A value from the environment is allowed, because it
// may be for other programs.
func unused(usual endpoint, docs, kerns roleFlags) error {
	if usual.url == "" || docs.url == "" || kerns.url == "" || usual.url == strings.TrimSpace(os.Getenv("JUPYTER_SERVER_URL")) ||
		sameAddress(usual.url, docs.url) || sameAddress(usual.url, kerns.url) {
		return nil
	}
	return fmt.Errorf("--jupyter-url: %s would not be used, because --document-url (%s) and --runtime-url (%s) name other servers: leave one of the three out",
		baseOf(usual.url), baseOf(docs.url), baseOf(kerns.url))
}

// baseOf returns the base URL of an address, without a token, or "" if the address is invalid.
func baseOf(address string) string {
	srv, err := jupyter.New(jupyter.Options{URL: address})
	if err != nil {
		return ""
	}
	return srv.BaseURL()
}

// sameAddress reports whether two addresses refer to one server.
func sameAddress(a, b string) bool {
	return a == b || a != "" && b != "" && jupyter.SameServer(baseOf(a), baseOf(b))
}

// connectServers chooses the document server and the kernel server, which may be the same. If one is found only later,
// session/kernel.Servers compares their addresses.
func connectServers(ctx context.Context, s settings, find discover, log *slog.Logger) (docs, kernels *jupyter.Server, err error) {
	how := reach{s.serverTimeout, s.servers.roots}
	if docs, err = connect(ctx, s.servers.documents, find, how, log); err != nil || s.servers.kernels == s.servers.documents {
		return docs, docs, err
	}
	if kernels, err = connect(ctx, s.servers.kernels, find, how, log); err != nil {
		return nil, nil, err
	}
	if jupyter.SameServer(docs.BaseURL(), kernels.BaseURL()) { // the server that was found is the named one
		p := s.servers.documents
		p.url, p.role = docs.BaseURL(), ""
		p.token = cmp.Or(p.token, s.servers.kernels.token)
		p.password = cmp.Or(p.password, s.servers.kernels.password)
		docs, err = connect(ctx, p, find, how, log)
		return docs, docs, err
	}
	return docs, kernels, nil
}
