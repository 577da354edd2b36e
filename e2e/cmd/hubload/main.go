// Command hubload measures the needs of a hub's users: it starts a JupyterHub with nbduet as its service and a server for each
// user, with a notebook open in a room there, and lets some of the users work. It prints a table in Markdown.
//
//	make load USERS=100 ACTIVE=10 FOR=10m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"time"

	"github.com/nbduet/nbduet/e2e/jupyterhub/hubs"
	"github.com/nbduet/nbduet/e2e/lab"
)

// config makes nbduet a service of the hub, which starts it.
const config = `
import json, os
with open(os.environ["NBDUET_HUB_SETTINGS"]) as f:
    at = json.load(f)["bind"].rstrip("/")
c.JupyterHub.services = [{
    "name": "nbduet",
    "url": "http://127.0.0.1:%d",
    "oauth_client_allowed_scopes": ["access:servers!user", "read:servers!user", "start:servers!user", "access:services!service=nbduet"],
    "command": [%q, "hub", "--state", ":memory:", "--session-timeout", "120", "--log-level", "warn"],
    "environment": {"JUPYTER_SERVER_URL": at},
}]
c.JupyterHub.load_roles = [{"name": "user", "scopes": ["self", "access:services"]}]
c.JupyterHub.concurrent_spawn_limit = 4
c.JupyterHub.active_server_limit = 0
`

// A load is the requested load.
type load struct {
	users, active int
	lasts         time.Duration
	pause         time.Duration // of an active user between two calls
}

func main() {
	var l load
	flag.IntVar(&l.users, "users", 100, "users, each with a server and an open notebook")
	flag.IntVar(&l.active, "active", 10, "of them, who work")
	flag.DurationVar(&l.lasts, "for", 10*time.Minute, "how long they work")
	flag.DurationVar(&l.pause, "pause", 2*time.Second, "between two calls of one of them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := l.run(ctx, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run measures and writes the table.
func (l load) run(ctx context.Context, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "nbduet-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	root, err := lab.RepoRoot()
	if err != nil {
		return err
	}
	program := filepath.Join(folder, "nbduet")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./cmd/nbduet")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build nbduet: %w", err)
	}
	port, err := free(ctx)
	if err != nil {
		return err
	}
	hub, err := hubs.Start(ctx, hubs.Options{Version: 6, Config: fmt.Sprintf(config, port, program)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.Stop()) }()
	people, err := l.begin(ctx, hub)
	if err != nil {
		return err
	}
	watch := newWatch(program, filepath.Dir(filepath.Dir(hub.Home(people[0].name))))
	idle, err := watch.look()
	if err != nil {
		return err
	}
	log.Printf("%d rooms are open; %d users work for %s", l.users, l.active, l.lasts)
	took, err := l.work(ctx, people, watch)
	if err != nil {
		return err
	}
	return report(out, l, idle, watch, took)
}

// begin makes the users, their servers and notebooks, and opens a room for each.
func (l load) begin(ctx context.Context, hub *hubs.Hub) ([]*person, error) {
	people := make([]*person, l.users)
	names := make([]string, l.users)
	for i := range people {
		names[i] = fmt.Sprintf("user%03d", i)
		people[i] = &person{name: names[i], at: hub.URL + "/services/nbduet"}
	}
	if err := hub.AddUsers(ctx, names...); err != nil {
		return nil, err
	}
	began := time.Now()
	err := each(people, 4, func(p *person) error {
		var err error
		if p.token, err = hub.Token(ctx, p.name, "access:servers!user="+p.name, "access:services!service=nbduet"); err != nil {
			return err
		}
		if _, err := hub.StartServer(ctx, p.name); err != nil {
			return err
		}
		return p.open(ctx)
	})
	log.Printf("%d servers were started in %s", l.users, time.Since(began).Round(time.Second))
	return people, err
}

// work lets the active users work and returns how long their calls took.
func (l load) work(ctx context.Context, people []*person, watch *watch) (map[string][]time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, l.lasts)
	defer stop()
	looked := make(chan error, 1)
	go func() { looked <- watch.until(ctx) }()
	err := each(people[:l.active], l.active, func(p *person) error { return p.work(ctx, l.pause) })
	stop()
	took := map[string][]time.Duration{}
	for _, p := range people {
		for what, all := range p.took {
			took[what] = append(took[what], all...)
		}
	}
	return took, errors.Join(err, <-looked)
}

// each calls do for each item of a list, atOnce of them at a time.
func each[T any](list []T, atOnce int, do func(T) error) error {
	turns := make(chan struct{}, atOnce)
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, one := range list {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			errs[i] = do(one)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
