package ydiff

import "fmt"

// message is one frame between a client and the server.
type message struct {
	kind    messageKind
	payload []byte
}

type messageKind int

const (
	step1 messageKind = iota
	step2
	update
)

// star is a room: a server and its clients.
type star struct {
	server  peer
	clients []*client // by peer number; the first is nil
	events  map[string]int
}

type client struct {
	peer
	kind kind
	// ours: an nbduet client, which sends only step 1 before step 2 has arrived.
	ours bool
	// patient: it writes nothing before the first step 2, like nbduet and users of Jupyter's models.
	patient bool
	// eager: it sends its updates from the start of the connection, before it has answered the server's step 1, so that
	// they may follow a gap. JupyterLab does that, and pycrdt takes the gap for filled; yjs does not.
	eager     bool
	answered  bool // the server's step 1
	connected bool
	synced    bool // step 2 has arrived on this connection
	began     bool // and on any connection
	asked     []byte
	up, down  []message
}

func newStar(p program, peers []peer) *star {
	s := &star{server: peers[0], clients: make([]*client, len(peers)), events: map[string]int{}}
	for i := 1; i < len(peers); i++ {
		k := p.Kinds[i]
		s.clients[i] = &client{peer: peers[i], kind: k, ours: k == goKind, patient: k == goKind || k.model(), eager: k != goKind && p.Kinds[0] == yjsKind}
	}
	return s
}

func (s *star) step(st step) error {
	if st.Do == "edit" && st.P == 0 {
		updates, err := s.server.edit(st.Ops)
		s.broadcast(updates)
		return err
	}
	c := s.clients[st.P]
	switch st.Do {
	case "edit":
		if c.began && !c.connected {
			s.events[fmt.Sprintf("%s writes while it is away", c.kind)]++
		}
		return c.write(st.Ops)
	case "connect":
		if c.began {
			s.events[fmt.Sprintf("%s connects again", c.kind)]++
		}
		if len(c.up) > 0 {
			s.events[fmt.Sprintf("%s loses what it has sent", c.kind)]++
		}
		return s.connect(c)
	case "leave":
		c.connected, c.up, c.down = false, nil, nil
		return nil
	case "up":
		return s.deliverUp(c, st.K)
	case "down":
		if c.raced(st.K) {
			s.events[fmt.Sprintf("%s gets an update before step 2", c.kind)]++
		}
		return c.deliverDown(st.K)
	}
	return fmt.Errorf("no such step in a star: %s", st.Do)
}

func (s *star) broadcast(updates [][]byte) {
	for _, c := range s.clients {
		if c != nil && c.connected {
			for _, u := range updates {
				c.down = append(c.down, message{update, u})
			}
		}
	}
}

func (c *client) write(ops []op) error {
	if c.patient && !c.began {
		return nil
	}
	updates, err := c.edit(ops)
	if err != nil {
		return err
	}
	c.send(updates)
	return nil
}

// send sends the client's own updates, unless step 2 will carry them.
func (c *client) send(updates [][]byte) {
	if c.connected && (c.eager || c.answered) {
		for _, u := range updates {
			c.up = append(c.up, message{update, u})
		}
	}
}

func (s *star) connect(c *client) error {
	sv, err := s.server.stateVector()
	if err != nil {
		return err
	}
	c.connected, c.synced, c.answered, c.asked = true, false, false, nil
	c.up, c.down = nil, []message{{step1, sv}}
	return c.ask()
}

// ask sends step 1.
func (c *client) ask() error {
	sv, err := c.stateVector()
	c.up = append(c.up, message{step1, sv})
	return err
}

// deliverUp delivers messages of a client to the server.
func (s *star) deliverUp(c *client, n int) error {
	n = min(n, len(c.up))
	messages := c.up[:n]
	c.up = c.up[n:]
	for i := 0; i < n; i++ {
		if messages[i].kind == step1 {
			diff, err := s.server.diff(messages[i].payload)
			if err != nil {
				return err
			}
			c.down = append(c.down, message{step2, diff})
			continue
		}
		// Consecutive updates are applied in one call.
		updates := [][]byte{messages[i].payload}
		for i+1 < n && messages[i+1].kind != step1 {
			i++
			updates = append(updates, messages[i].payload)
		}
		a, err := s.server.apply(updates...)
		if err != nil {
			return err
		}
		s.broadcast(a.All)
	}
	return nil
}

// raced reports whether an update is among the next messages to a client that precede its step 2.
func (c *client) raced(n int) bool {
	for _, m := range c.down[:min(n, len(c.down))] {
		if m.kind == step2 {
			break
		}
		if m.kind == update && !c.synced {
			return true
		}
	}
	return false
}

// deliverDown delivers messages of the server to a client.
func (c *client) deliverDown(n int) error {
	n = min(n, len(c.down))
	messages := c.down[:n]
	c.down = c.down[n:]
	for _, m := range messages {
		if m.kind == step1 {
			if c.ours && !c.synced {
				c.asked = m.payload
			} else if err := c.answer(m.payload); err != nil {
				return err
			}
			continue
		}
		a, err := c.apply(m.payload)
		if err != nil {
			return err
		}
		c.send(a.Own)
		if m.kind == step2 {
			c.synced, c.began = true, true
			if c.asked != nil {
				if err := c.answer(c.asked); err != nil {
					return err
				}
				c.asked = nil
			}
		}
		if a.waits && c.synced {
			if err := c.ask(); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer sends step 2.
func (c *client) answer(sv []byte) error {
	diff, err := c.diff(sv)
	c.up = append(c.up, message{step2, diff})
	c.answered = true
	return err
}

// settle connects all clients and delivers everything.
func (s *star) settle() error {
	for _, c := range s.clients[1:] {
		if !c.connected {
			if err := s.connect(c); err != nil {
				return err
			}
		}
	}
	for range 100 {
		quiet := true
		for _, c := range s.clients[1:] {
			quiet = quiet && len(c.up) == 0 && len(c.down) == 0
			if err := s.deliverUp(c, len(c.up)); err != nil {
				return err
			}
			if err := c.deliverDown(len(c.down)); err != nil {
				return err
			}
		}
		if quiet {
			return nil
		}
	}
	return fmt.Errorf("the room does not come to rest")
}
