package ydiff

import "fmt"

// mesh connects each replica with each other one.
//
// pycrdt gets missing updates only as a whole: it integrates structs that follow a gap, and then takes the gap for
// filled. A room's server never gets such updates, because its clients build only on updates that came through it.
// JupyterLab's model gets them only as a whole too, because it throws at a cell that yjs shows without a type while the
// rest of its update waits for another one.
type mesh struct {
	peers []peer
	kinds []kind
	links [][]*link

	events map[string]int
}

// link carries a replica's own updates to another one, in order.
type link struct {
	cut   bool
	queue [][]byte
	past  [][]byte
}

func newMesh(p program, peers []peer) *mesh {
	m := &mesh{peers: peers, kinds: p.Kinds, links: make([][]*link, len(peers)), events: map[string]int{}}
	for i := range peers {
		m.links[i] = make([]*link, len(peers))
		for j := range peers {
			m.links[i][j] = &link{}
		}
	}
	return m
}

func (m *mesh) step(st step) error {
	if st.Do == "edit" {
		updates, err := m.peers[st.P].edit(st.Ops)
		m.send(st.P, updates)
		return err
	}
	l := m.links[st.P][st.Q]
	if m.kinds[st.Q].wantsAll() && (st.Do == "pass" || st.Do == "again") {
		if l.cut {
			return nil
		}
		return m.sync(st.P, st.Q)
	}
	switch st.Do {
	case "pass":
		n := min(st.K, len(l.queue))
		updates := l.queue[:n]
		l.queue = l.queue[n:]
		l.past = append(l.past, updates...)
		for p := range m.peers {
			if n > 0 && p != st.P && p != st.Q && len(m.links[p][st.Q].queue) > 0 {
				m.events["an update overtakes another peer's"]++
			}
		}
		return m.give(st.Q, updates...)
	case "again":
		if len(l.past) == 0 {
			return nil
		}
		m.events["an update comes again"]++
		return m.give(st.Q, l.past[st.K%len(l.past)])
	case "cut":
		if len(l.queue) > 0 {
			m.events["updates are lost"]++
		}
		l.cut, l.queue = true, nil
		return nil
	case "sync":
		if st.K == 0 {
			l.queue = nil
		}
		return m.sync(st.P, st.Q)
	}
	return fmt.Errorf("no such step in a mesh: %s", st.Do)
}

func (m *mesh) give(q int, updates ...[]byte) error {
	if len(updates) == 0 {
		return nil
	}
	a, err := m.peers[q].apply(updates...)
	m.send(q, a.Own)
	return err
}

// send puts p's own updates on its links.
func (m *mesh) send(p int, updates [][]byte) {
	for q, l := range m.links[p] {
		if q != p && !l.cut {
			l.queue = append(l.queue, updates...)
		}
	}
}

// sync sends q all updates of p that it lacks. From then on the link carries p's updates again.
func (m *mesh) sync(p, q int) error {
	sv, err := m.peers[q].stateVector()
	if err != nil {
		return err
	}
	diff, err := m.peers[p].diff(sv)
	if err != nil {
		return err
	}
	m.links[p][q].cut = false
	return m.give(q, diff)
}

// settle delivers everything under way and repairs the cut links. Nothing is requested again, so each replica must have
// stored updates that came out of order.
func (m *mesh) settle() error {
	for range 100 {
		quiet := true
		for p := range m.peers {
			for q := range m.peers {
				if p == q {
					continue
				}
				l := m.links[p][q]
				quiet = quiet && !l.cut && len(l.queue) == 0
				if err := m.deliver(p, q, l); err != nil {
					return err
				}
			}
		}
		if quiet {
			return nil
		}
	}
	return fmt.Errorf("the mesh does not come to rest")
}

func (m *mesh) deliver(p, q int, l *link) error {
	updates := l.queue
	l.queue = nil
	if l.cut || len(updates) > 0 && m.kinds[q].wantsAll() {
		return m.sync(p, q)
	}
	return m.give(q, updates...)
}
