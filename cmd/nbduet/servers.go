package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/nbduet/nbduet/rtc/jupyter"
	run0 "github.com/nbduet/nbduet/session/run"
)

// serverFlags are for documents and kernels on two servers, and for a notebook and a kernel to begin with.
type serverFlags struct {
	DocumentURL       string `env:"NBDUET_DOCUMENT_URL,DOCUMENT_URL" placeholder:"URL" help:"Address of the Jupyter server that has the notebooks and files, in place of --jupyter-url. It has the kernels too, unless --runtime-url or --jupyter-url says otherwise. \"local\" is the server of --jupyter-url, or the one that runs on this machine."`
	DocumentToken     string `env:"NBDUET_DOCUMENT_TOKEN,DOCUMENT_TOKEN" placeholder:"TOKEN" help:"Its token, in place of --token."`
	DocumentTokenFile string `env:"NBDUET_DOCUMENT_TOKEN_FILE,DOCUMENT_TOKEN_FILE" placeholder:"FILE" help:"File that holds it; it wins over --document-token."`
	DocumentID        string `name:"document-id" env:"NBDUET_DOCUMENT_ID,DOCUMENT_ID" placeholder:"PATH" help:"Notebook that each client begins with, relative to the root folder of the server that has the documents."`
	RuntimeURL        string `env:"NBDUET_RUNTIME_URL,RUNTIME_URL" placeholder:"URL" help:"Address of the Jupyter server that has the kernels, in place of --jupyter-url. It has the documents too, unless --document-url or --jupyter-url says otherwise. \"local\" is as for --document-url."`
	RuntimeToken      string `env:"NBDUET_RUNTIME_TOKEN,RUNTIME_TOKEN" placeholder:"TOKEN" help:"Its token, in place of --token."`
	RuntimeTokenFile  string `env:"NBDUET_RUNTIME_TOKEN_FILE,RUNTIME_TOKEN_FILE" placeholder:"FILE" help:"File that holds it; it wins over --runtime-token."`
	RuntimeID         string `name:"runtime-id" env:"NBDUET_RUNTIME_ID,RUNTIME_ID" placeholder:"ID" help:"Id of a running kernel in which the cells of --document-id are run; left out, the notebook's own is found or started."`
}

// The roles of two servers, as jupyter.Options and the flags' names have them.
const (
	roleDocument = "document"
	roleRuntime  = "runtime"
)

// localServer is the address that stands for --jupyter-url, or else the server that is found on this machine.
const localServer = "local"

// place is a Jupyter server and how to reach it; without an address the one that is found on this machine.
type place struct {
	url, token string
	role       string // "" where it is the only one
}

// serverSettings are checked serverFlags, with --jupyter-url and --token. The places are the same where there is one
// server.
type serverSettings struct {
	documents, kernels place
	notebook           string // to begin with, "" for none
	kernelID           string // of the notebook, "" for its own
}

// side is what the flags say of one of the two.
type side struct {
	role, url, token string
	local            bool // it is said to be the usual one
}

// check makes out which servers are meant; usual is --jupyter-url and --token. A contradiction is refused by the names
// of its flags.
func (f serverFlags) check(usual place) (serverSettings, error) {
	docs, err := newSide(roleDocument, f.DocumentURL, f.DocumentToken, f.DocumentTokenFile)
	if err != nil {
		return serverSettings{}, err
	}
	kerns, err := newSide(roleRuntime, f.RuntimeURL, f.RuntimeToken, f.RuntimeTokenFile)
	if err != nil {
		return serverSettings{}, err
	}
	if err := unused(usual, docs, kerns); err != nil {
		return serverSettings{}, err
	}
	s := serverSettings{documents: docs.place(usual, kerns), kernels: kerns.place(usual, docs)}
	if sameAddress(s.documents.url, s.kernels.url) {
		if docs.token != "" && kerns.token != "" && docs.token != kerns.token {
			return serverSettings{}, errors.New("--document-token and --runtime-token differ, and both are for one server: give it one token")
		}
		s.documents.token = cmp.Or(docs.token, kerns.token, s.documents.token, s.kernels.token)
		s.documents.role = ""
		s.kernels = s.documents
	}
	if f.DocumentID != "" {
		if s.notebook, err = jupyter.CleanPath(f.DocumentID); err != nil || s.notebook == "" {
			return serverSettings{}, fmt.Errorf("--document-id: %q is not the path of a notebook on the Jupyter server", f.DocumentID)
		}
	}
	if s.kernelID = strings.TrimSpace(f.RuntimeID); s.kernelID != "" && s.notebook == "" {
		return serverSettings{}, errors.New("--runtime-id: it is the kernel of the notebook that --document-id names, and none is named")
	}
	return s, nil
}

// newSide reads what is said of one server.
func newSide(role, address, token, tokenFile string) (side, error) {
	s := side{role: role, url: strings.TrimSpace(address), token: strings.TrimSpace(token)}
	if tokenFile != "" {
		var err error
		if s.token, err = readToken(tokenFile); err != nil {
			return s, fmt.Errorf("--%s-token-file: %w", role, err)
		}
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
	if u, err := url.Parse(s.url); err == nil { // a token in an address wins, as everywhere
		s.token = cmp.Or(strings.TrimSpace(u.Query().Get("token")), s.token)
	}
	return s, nil
}

// place is where a side's server is; the other side's says where it is if nothing else does.
func (s side) place(usual place, other side) place {
	switch {
	case s.url != "":
	case usual.url == "" && !s.local && other.url != "":
		return place{other.url, cmp.Or(s.token, other.place(usual, s).token), s.role}
	default:
		return place{usual.url, cmp.Or(s.token, usual.token), s.role}
	}
	token := s.token
	// The usual server's token is not shown to another one.
	if token == "" && (usual.url == "" && !other.local || usual.url != "" && sameAddress(usual.url, s.url)) {
		token = usual.token
	}
	return place{s.url, token, s.role}
}

// unused complains of a --jupyter-url that both others stand in for. In the environment it may be there for other programs.
func unused(usual place, docs, kerns side) error {
	if usual.url == "" || docs.url == "" || kerns.url == "" || usual.url == strings.TrimSpace(os.Getenv("JUPYTER_SERVER_URL")) ||
		sameAddress(usual.url, docs.url) || sameAddress(usual.url, kerns.url) {
		return nil
	}
	return fmt.Errorf("--jupyter-url: %s would not be used, as --document-url (%s) and --runtime-url (%s) name other servers: leave one of the three out",
		baseOf(usual.url), baseOf(docs.url), baseOf(kerns.url))
}

// baseOf is an address as a server has it, without a token; "" for what is none.
func baseOf(address string) string {
	srv, err := jupyter.New(jupyter.Options{URL: address})
	if err != nil {
		return ""
	}
	return srv.BaseURL()
}

// sameAddress tells whether two addresses are one server's.
func sameAddress(a, b string) bool {
	return a == b || a != "" && b != "" && jupyter.SameServer(baseOf(a), baseOf(b))
}

// connectServers chooses the servers that have the documents and the kernels: one, or two.
func connectServers(ctx context.Context, s settings, find discover, log *slog.Logger) (docs, kernels *jupyter.Server, err error) {
	running := sync.OnceValues(func() ([]jupyter.Running, error) { return find(ctx) })
	once := func(context.Context) ([]jupyter.Running, error) { return running() }
	if docs, err = connect(ctx, s.servers.documents, once, log); err != nil || s.servers.kernels == s.servers.documents {
		return docs, docs, err
	}
	if kernels, err = connect(ctx, s.servers.kernels, once, log); err != nil {
		return nil, nil, err
	}
	if jupyter.SameServer(docs.BaseURL(), kernels.BaseURL()) { // the one that was found is the one that was named
		p := s.servers.documents
		p.url, p.role = docs.BaseURL(), ""
		p.token = cmp.Or(p.token, s.servers.kernels.token)
		docs, err = connect(ctx, p, once, log)
		return docs, docs, err
	}
	if s.execute == run0.ExecuteServer {
		return nil, nil, usageError{errors.New("--execute: server is for notebooks and kernels on one server: with --document-url and --runtime-url of two, leave it at auto")}
	}
	return docs, kernels, nil
}
