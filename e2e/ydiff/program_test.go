package ydiff

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is whose replica a peer is.
type kind string

const (
	goKind     kind = "go"
	yjsKind    kind = "yjs"
	pycrdtKind kind = "pycrdt"
)

// op is one operation of an edit. Peers take its numbers modulo what they have.
type op struct {
	Op string `json:"op"`
	N  [3]int `json:"n"`
	ID string `json:"id,omitempty"`
	S  string `json:"s"`
	V  any    `json:"v"`
}

// step is an edit of peer P, when there are operations, or else an event of the network.
type step struct {
	Do   string // "edit"; in a star connect, leave, up, down; in a mesh pass, again, cut, sync
	P, Q int    // the peer; in a mesh the peer that sends, and the one that receives
	K    int    // how many messages
	Ops  []op
}

func (s step) String() string {
	switch s.Do {
	case "edit":
		b, err := json.Marshal(s.Ops)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%d edits %s", s.P, b)
	case "connect", "leave":
		return fmt.Sprintf("%d: %s", s.P, s.Do)
	case "up", "down":
		return fmt.Sprintf("%d: %d messages %s", s.P, s.K, s.Do)
	default:
		return fmt.Sprintf("%d to %d: %s %d", s.P, s.Q, s.Do, s.K)
	}
}

// program is all that a run depends on. In a star peer 0 is the server.
type program struct {
	Seed  uint64
	Mesh  bool
	Kinds []kind
	IDs   []uint64
	Steps []step
}

func (p program) String() string {
	var b strings.Builder
	shape := "star, the server first:"
	if p.Mesh {
		shape = "mesh:"
	}
	fmt.Fprintf(&b, "seed %d, %s", p.Seed, shape)
	for i, k := range p.Kinds {
		fmt.Fprintf(&b, " %s %d", k, p.IDs[i])
	}
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "\n%4d  %s", i+1, s)
	}
	return b.String()
}

// newProgram draws a program.
func newProgram(seed uint64) program {
	r := random{rand.New(rand.NewPCG(seed, 20260101))}
	p := program{Seed: seed, Mesh: r.IntN(3) == 0}
	if p.Mesh {
		p.Kinds = append(p.Kinds, []kind{yjsKind, pycrdtKind}[r.IntN(2)], goKind, []kind{goKind, yjsKind, pycrdtKind}[r.IntN(3)])
	} else {
		p.Kinds = append(p.Kinds, []kind{pycrdtKind, pycrdtKind, yjsKind}[r.IntN(3)], goKind, []kind{goKind, yjsKind, yjsKind}[r.IntN(3)])
		if r.IntN(3) == 0 {
			p.Kinds = append(p.Kinds, []kind{goKind, yjsKind}[r.IntN(2)])
		}
	}
	for range p.Kinds {
		for id := r.clientID(); ; id = r.clientID() {
			if !slices.Contains(p.IDs, id) {
				p.IDs = append(p.IDs, id)
				break
			}
		}
	}
	if r.IntN(3) == 0 {
		p.IDs[0] = 0 // as the real server's when it seeds a document
	}
	g := generator{random: r, p: &p}
	g.steps(25 + r.IntN(30))
	return p
}

// clientID is small, of 31, 32 or of 53 bits.
func (r random) clientID() uint64 {
	bits := []int{6, 31, 32, 53}[r.IntN(4)]
	return 1 + r.Uint64N(1<<bits-1)
}

type generator struct {
	random
	p     *program
	cells int
}

func (g *generator) add(s step) { g.p.Steps = append(g.p.Steps, s) }

func (g *generator) steps(n int) {
	g.add(step{Do: "edit", Ops: []op{{Op: "init"}, g.insert(), g.insert()}})
	peers := len(g.p.Kinds)
	for q := 1; q < peers; q++ {
		if g.p.Mesh {
			g.add(step{Do: "sync", P: 0, Q: q})
		} else if g.IntN(4) > 0 {
			g.add(step{Do: "connect", P: q})
			g.add(step{Do: "up", P: q, K: 1})
			g.add(step{Do: "down", P: q, K: 2})
		}
	}
	for range n {
		if g.IntN(5) < 2 {
			g.edit(g.IntN(peers))
		} else if g.p.Mesh {
			g.meshEvent()
		} else {
			g.starEvent()
		}
	}
}

func (g *generator) starEvent() {
	p := 1 + g.IntN(len(g.p.Kinds)-1)
	switch k := g.IntN(20); {
	case k == 0:
		g.add(step{Do: "leave", P: p})
	case k <= 2:
		g.add(step{Do: "connect", P: p})
	case k <= 10:
		g.add(step{Do: "up", P: p, K: 1 + g.IntN(3)})
	default:
		g.add(step{Do: "down", P: p, K: 1 + g.IntN(4)})
	}
}

func (g *generator) meshEvent() {
	p := g.IntN(len(g.p.Kinds))
	q := (p + 1 + g.IntN(len(g.p.Kinds)-1)) % len(g.p.Kinds)
	switch k := g.IntN(20); {
	case k == 0:
		g.add(step{Do: "cut", P: p, Q: q})
	case k <= 2:
		g.add(step{Do: "sync", P: p, Q: q, K: g.IntN(2)})
	case k <= 4:
		g.add(step{Do: "again", P: p, Q: q, K: g.IntN(100)})
	default:
		g.add(step{Do: "pass", P: p, Q: q, K: 1 + g.IntN(3)})
	}
}

func (g *generator) edit(p int) {
	ops := make([]op, 1+g.IntN(3))
	for i := range ops {
		ops[i] = g.op(g.p.Kinds[p])
	}
	g.add(step{Do: "edit", P: p, Ops: ops})
}

func (g *generator) numbers() [3]int { return [3]int{g.IntN(1000), g.IntN(1000), g.IntN(1000)} }

func (g *generator) insert() op {
	g.cells++
	o := op{Op: "insert", N: g.numbers(), ID: fmt.Sprintf("c%d", g.cells), S: g.text(6), V: map[string]any{}}
	if g.IntN(3) == 0 {
		o.V = map[string]any{"k": g.text(2), "tags": []any{g.text(1), nil, g.IntN(9)}}
	}
	if g.IntN(2) == 0 {
		o.N[1] = 0 // a code cell
	}
	return o
}

// The operations of all kinds of peers, of ours alone, and of the others, each as often as it is to be drawn.
var (
	common = []draw{
		{6, "source"},
		{2, "insert"},
		{1, "delete"},
		{1, "rewrite"},
		{2, "meta"},
		{1, "unmeta"},
		{1, "nbmeta"},
		{1, "start"},
		{1, "finish"},
		{3, "stream"},
		{2, "output"},
		{1, "clear"},
	}
	onlyGo      = []draw{{1, "move"}, {1, "type"}, {1, "split"}, {1, "merge"}, {2, "tail"}, {1, "outputs"}, {1, "attach"}, {2, "carry"}}
	onlyForeign = []draw{{1, "state"}, {3, "map"}, {1, "unmap"}, {2, "list"}, {1, "unlist"}}
	onlyYjs     = []draw{{1, "move"}, {1, "type"}, {1, "broken"}, {1, "unset"}, {2, "rich"}, {2, "xml"}, {1, "subdoc"}}
)

// draw is how often an operation is drawn among others.
type draw struct {
	weight int
	name   string
}

func (r random) draw(from []draw) string {
	all := 0
	for _, d := range from {
		all += d.weight
	}
	n := r.IntN(all)
	for _, d := range from {
		if n -= d.weight; n < 0 {
			return d.name
		}
	}
	panic("unreachable")
}

func (g *generator) op(k kind) op {
	from := common
	switch {
	case k == goKind && g.IntN(3) == 0:
		from = onlyGo
	case k == yjsKind && g.IntN(4) == 0:
		from = onlyYjs
	case k != goKind && g.IntN(3) == 0:
		from = onlyForeign
	}
	o := op{Op: g.draw(from), N: g.numbers()}
	switch o.Op {
	case "insert":
		return g.insert()
	case "source", "rewrite", "stream", "tail", "carry":
		o.S = g.text(4)
	case "meta", "nbmeta":
		o.S, o.V = g.key(), g.value(3)
	case "unmeta", "unmap":
		o.S = g.key()
	case "output":
		o.V = g.output()
	case "outputs":
		o.V = []any{g.output(), g.output()}
	case "attach":
		o.V = map[string]any{"a.png": map[string]any{"image/png": g.text(2)}}
	case "state":
		o.S, o.V = []string{"path", "dirty", "hash", "k"}[g.IntN(4)], g.value(1)
	case "map":
		o.S, o.V = g.key(), g.shared(3)
	case "list":
		l := make([]any, 1+g.IntN(4))
		for i := range l {
			l[i] = g.shared(2)
		}
		o.V = l
	case "broken":
		o.V = g.broken()
	case "unset":
		o.S = []string{"id", "metadata", "outputs", "source", "cell_type", "execution_state"}[g.IntN(6)]
	case "rich":
		o.S = g.text(3)
		o.V = map[string]any{[]string{"bold", "link"}[g.IntN(2)]: []any{true, nil, "x"}[g.IntN(3)]}
	case "xml", "subdoc":
		o.S = strings.Trim(g.text(2), "\x00")
	}
	return o
}

// broken is a cell that is not as it should be.
func (g *generator) broken() any {
	g.cells++
	id := fmt.Sprintf("c%d", g.cells)
	switch g.IntN(3) {
	case 0:
		return map[string]any{"id": id, "cell_type": "code", "source": g.text(2), "metadata": map[string]any{}, "outputs": []any{}}
	case 1:
		return map[string]any{"$": "map", "v": map[string]any{"id": id, "cell_type": "code", "source": g.text(2), "metadata": map[string]any{}}}
	default:
		return g.shared(2)
	}
}
