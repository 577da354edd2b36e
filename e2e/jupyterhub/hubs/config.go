package hubs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/lab"
)

// ours is the part of the hub's configuration for tests. It comes after the test's part. It reads the values of this hub
// from a file, so that none has to be written as Python.
const ours = `
import json, os

with open(os.environ["NBDUET_HUB_SETTINGS"]) as f:
    ours = json.load(f)

c.JupyterHub.bind_url = ours["bind"]
c.JupyterHub.hub_bind_url = ours["hub"]
c.ConfigurableHTTPProxy.api_url = ours["proxy_api"]
c.ConfigurableHTTPProxy.command = ours["proxy"]
c.JupyterHub.db_url = "sqlite:///" + ours["folder"] + "/hub.sqlite"
c.JupyterHub.cookie_secret_file = ours["folder"] + "/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = ours["folder"] + "/proxy.pid"
c.JupyterHub.data_files_path = ours["share"]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = ours["homes"] + "/{username}"
c.Spawner.cmd = [ours["python"], "-m", "jupyterhub.singleuser"]
# A server that has had rooms of notebooks does not end when it is interrupted or asked to: a thread of theirs keeps its
# process, which a hub kills when it has waited long enough.
c.LocalProcessSpawner.interrupt_timeout = 2
c.LocalProcessSpawner.term_timeout = 1
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120
c.Spawner.args.extend(["--allow-root", "--LabApp.extension_manager=readonly"])
c.Spawner.environment.update(ours["environment"])
c.JupyterHub.services.append({"name": "tests", "api_token": ours["token"]})
c.JupyterHub.load_roles.append({
    "name": "tests",
    "services": ["tests"],
    "scopes": ["admin:users", "admin:servers", "tokens", "shares", "access:servers", "read:hub"],
})
`

// layout has the paths of the parts of a hub.
type layout struct {
	// packages are the hub's packages; python runs the hub, and serving its servers.
	packages, python, serving string
	proxy                     []string
	// base is the temporary folder, homes the folder of the users' homes.
	base, homes string
	address     string // host and port of the proxy
}

// find finds the installed programs. The error names the command to run.
func find(opt Options) (l layout, err error) {
	root, err := lab.RepoRoot()
	if err != nil {
		return l, err
	}
	name := fmt.Sprintf("hub%d", opt.Version)
	l.packages = cmp.Or(os.Getenv("NBDUET_"+strings.ToUpper(name)), filepath.Join(root, ".cache", name))
	if _, err := os.Stat(filepath.Join(l.packages, "jupyterhub")); err != nil {
		return l, fmt.Errorf("no JupyterHub %d: run `make %s`: %w", opt.Version, name, err)
	}
	proxy := filepath.Join(root, "e2e", "hubproxy", "node_modules", "configurable-http-proxy", "bin", "configurable-http-proxy")
	if _, err := os.Stat(proxy); err != nil {
		return l, fmt.Errorf("no proxy of JupyterHub: run `make hubproxy`: %w", err)
	}
	l.proxy = []string{"node", proxy}
	if l.python, err = child.Python(root); err != nil {
		return l, err
	}
	if l.python, err = filepath.Abs(l.python); err != nil {
		return l, err
	}
	l.serving = cmp.Or(opt.Python, l.python)
	return l, nil
}

// write makes the folders and the configuration and returns the hub's additional environment.
func (l *layout) write(ctx context.Context, opt Options, secret string) (env []string, err error) {
	l.homes = filepath.Join(l.base, "homes")
	home := filepath.Join(l.base, "home")
	for _, dir := range []string{l.homes, home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the folders of the hub: %w", err)
		}
	}
	ports, err := free(ctx, 3)
	if err != nil {
		return nil, err
	}
	l.address = ports[0]
	// Only these variables of the hub are passed on to its servers.
	servers := map[string]string{"PYTHONPATH": l.packages, "PYTHONUNBUFFERED": "1", mark: l.base}
	for _, pair := range opt.Env {
		name, value, _ := strings.Cut(pair, "=")
		servers[name] = value
	}
	settings, err := json.Marshal(map[string]any{
		"bind": "http://" + ports[0] + cmp.Or(opt.Prefix, "/"), "hub": "http://" + ports[1], "proxy_api": "http://" + ports[2],
		"proxy": l.proxy, "folder": l.base, "homes": l.homes, "share": filepath.Join(l.packages, "share", "jupyterhub"),
		"python": l.serving, "environment": servers, "token": secret,
	})
	if err != nil {
		return nil, fmt.Errorf("configure the hub: %w", err)
	}
	file := filepath.Join(l.base, "settings.json")
	if err := errors.Join(os.WriteFile(file, settings, 0o600), os.WriteFile(l.config(), []byte(opt.Config+ours), 0o600)); err != nil {
		return nil, fmt.Errorf("configure the hub: %w", err)
	}
	return []string{"HOME=" + home, "PYTHONPATH=" + l.packages, "PYTHONUNBUFFERED=1", "NBDUET_HUB_SETTINGS=" + file, mark + "=" + l.base}, nil
}

// config returns the file of the hub's configuration.
func (l *layout) config() string { return filepath.Join(l.base, "jupyterhub_config.py") }

// free returns unused addresses. Their ports are below the ephemeral range, so that the system does not give one to
// another process before the hub listens there.
func free(ctx context.Context, n int) (addresses []string, err error) {
	var listen net.ListenConfig
	for range 1000 {
		at := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000))
		l, err := listen.Listen(ctx, "tcp", at)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		if addresses = append(addresses, at); len(addresses) == n {
			return addresses, nil
		}
	}
	return nil, errors.New("no free port from 20000 to 30000")
}
