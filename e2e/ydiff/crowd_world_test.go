package ydiff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nbduet/nbduet/e2e/child"
)

// hall is the network of a crowd: a star of the agent and two tabs.
type hall struct {
	node     *child.Process
	wire     bool
	calm     bool
	server   *remote
	tabs     [3]*remote // by person
	agent    *agent
	ledger   *ledger
	up, down [3][]letter
	passed   int    // number of the agent's updates that can have reached the others
	known    [3]int // and have reached each
}

// letter is an update under way.
type letter struct {
	update []byte
	done   *done // a person's edit; nil for the agent's
	sent   int   // for the agent: number of its updates up to this one
}

func openHall(node *child.Process, c crowd) (h *hall, err error) {
	h = &hall{node: node, wire: c.Wire, calm: c.Calm, ledger: newLedger()}
	if h.server, err = newRemote(node, yjsKind, "server", c.IDs[0]); err != nil {
		return nil, err
	}
	if _, err := h.server.edit([]op{
		{Op: "init"},
		{Op: "insert", N: [3]int{0, 0}, ID: "c1", S: "0123456789", V: map[string]any{}},
		{Op: "insert", N: [3]int{1, 0}, ID: "c2", S: "", V: map[string]any{}},
		{Op: "insert", N: [3]int{2, 1}, ID: "c3", S: "one 2 three\n4\n", V: map[string]any{}},
	}); err != nil {
		return nil, err
	}
	state, err := h.server.diff([]byte{0})
	if err != nil {
		return nil, err
	}
	if h.agent, err = newAgent(c.IDs[1], state, h.ledger); err != nil {
		return nil, err
	}
	for p := 1; p <= 2; p++ {
		if h.tabs[p], err = newRemote(node, labKind, fmt.Sprintf("tab%d", p), c.IDs[1+p]); err != nil {
			return nil, err
		}
		if _, err = h.tabs[p].apply(state); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *hall) close() error {
	h.agent.steps.End()
	return errors.Join(h.server.close(), h.tabs[1].close(), h.tabs[2].close())
}

func (h *hall) do(ctx context.Context, d deed) (err error) {
	if h.calm && slices.Contains([]string{"move", "retype", "delete", "undo", "undo one", "redo", "remove"}, d.Do) {
		if err := h.settle(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.settle()) }()
	}
	switch d.Do {
	case "up":
		return h.rise(d.P, d.N[0])
	case "down":
		return h.sink(d.P, d.N[0])
	case "type", "erase", "split", "add", "remove":
		return h.person(d)
	}
	err = h.agent.do(ctx, d)
	h.send()
	return err
}

// send sends the agent's updates.
func (h *hall) send() {
	updates := h.agent.take()
	for i, u := range updates {
		h.up[agentPlace] = append(h.up[agentPlace], letter{update: u, sent: h.agent.sent - len(updates) + 1 + i})
	}
}

func (h *hall) person(d deed) error {
	var did *done
	if err := h.node.One(&did, "act", h.tabs[d.P].name, map[string]any{
		"do": d.Do, "n": d.N, "s": d.S, "id": d.ID, "person": d.P, "own": []string{string(own[d.P][0]), string(own[d.P][1])},
	}); err != nil || did == nil {
		return err
	}
	did.do, did.seen = d.Do, h.known[d.P]
	h.ledger.did(did)
	for i, u := range did.Updates {
		l := letter{update: u}
		if i == len(did.Updates)-1 {
			l.done = did
		}
		h.up[d.P] = append(h.up[d.P], l)
	}
	return nil
}

// rise delivers messages from a place to the server.
func (h *hall) rise(from, count int) error {
	for range min(count, len(h.up[from])) {
		l := h.up[from][0]
		h.up[from] = h.up[from][1:]
		h.passed = max(h.passed, l.sent)
		l.sent = h.passed
		if h.wire {
			for to := range h.down {
				if to != from {
					h.down[to] = append(h.down[to], l)
				}
			}
			continue
		}
		var place *[2]int64
		if l.done != nil {
			place = l.done.Place
		}
		var a struct {
			applied
			Live bool `json:"live"`
		}
		if err := h.node.One(&a, "pass", h.server.name, l.update, place); err != nil {
			return err
		}
		if !a.Live {
			h.ledger.droppedAll(l.done)
		}
		for i, u := range a.All {
			l := l
			if l.update = u; i < len(a.All)-1 {
				l.done = nil
			}
			for to := range h.down {
				h.down[to] = append(h.down[to], l)
			}
		}
	}
	return nil
}

// sink delivers the server's messages to a place.
func (h *hall) sink(to, count int) error {
	for range min(count, len(h.down[to])) {
		l := h.down[to][0]
		h.down[to] = h.down[to][1:]
		if to != agentPlace {
			if _, err := h.tabs[to].apply(l.update); err != nil {
				return err
			}
			h.known[to] = l.sent
			continue
		}
		if l.done != nil {
			h.ledger.arrived(l.done)
		}
		if err := h.agent.n.Apply(l.update); err != nil {
			return err
		}
		h.send()
	}
	return nil
}

// settle delivers everything.
func (h *hall) settle() error {
	for range 100 {
		quiet := true
		for p := range h.up {
			quiet = quiet && len(h.up[p]) == 0 && len(h.down[p]) == 0
			if err := errors.Join(h.rise(p, len(h.up[p])), h.sink(p, len(h.down[p]))); err != nil {
				return err
			}
		}
		if quiet {
			return nil
		}
	}
	return errors.New("the room does not come to rest")
}

// agree compares the content of all replicas.
func (h *hall) agree() error {
	state, err := h.agent.n.Diff(nil)
	if err != nil {
		return err
	}
	want, err := readWith(h.node, "load", nil, state)
	if err != nil {
		return err
	}
	if err := sameModel(h.agent.n, want); err != nil {
		return err
	}
	held := []*remote{h.tabs[1], h.tabs[2]}
	if !h.wire {
		held = append(held, h.server)
	}
	for _, r := range held {
		got, err := readWith(h.node, "read", r.name)
		if err != nil {
			return err
		}
		if err := sameReading(r.name, got, want); err != nil {
			return err
		}
		if r == h.server {
			continue
		}
		if err := sameNotebook(labKind, got.Notebook, want); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return h.agent.n.Err()
}

// runCrowd runs a program. At the end all replicas are the same, and every character that a person has typed and none
// has deleted is there; so also after all edits of the clients are undone.
func runCrowd(ctx context.Context, node *child.Process, c crowd) (counts map[string]int, err error) {
	h, err := openHall(node, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	for i, d := range c.Steps {
		if err := h.do(ctx, d); err != nil {
			return nil, fmt.Errorf("step %d, %v: %w", i+1, d, err)
		}
	}
	for _, when := range []string{"in the end", "when all is taken back"} {
		if err := errors.Join(h.settle(), h.ledger.check(h.agent.n, h.calm), h.agree()); err != nil {
			return nil, fmt.Errorf("%s: %w", when, err)
		}
		if when == "in the end" {
			for i := range 2 * maxSteps {
				if err := h.do(ctx, deed{Do: "undo", P: i % 2, N: [3]int{2}}); err != nil {
					return nil, fmt.Errorf("taking all back: %w", err)
				}
			}
		}
	}
	h.ledger.sum(h.agent.n)
	if h.calm {
		h.ledger.counts["in calm programs: "+demanded] = h.ledger.counts[demanded]
	}
	return h.ledger.counts, nil
}
