package ydiff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// newProgram draws a program: one of raw documents, which may have any content, or one of notebooks, in which Jupyter's
// models take part and all edits are valid.
func newProgram(seed uint64) program {
	r := random{Rand: rand.New(rand.NewPCG(seed, 20260101))}
	p := program{Seed: seed, Mesh: r.IntN(3) == 0}
	r.strict = r.IntN(5) < 2
	one := func(kinds ...kind) kind { return kinds[r.IntN(len(kinds))] }
	switch {
	case r.strict && p.Mesh:
		p.Kinds = []kind{one(labKind, serverKind), goKind, one(goKind, labKind, serverKind, yjsKind, pycrdtKind)}
	case r.strict:
		p.Kinds = []kind{one(serverKind, serverKind, pycrdtKind, yjsKind), goKind, one(labKind, labKind, serverKind)}
		if r.IntN(3) == 0 {
			p.Kinds = append(p.Kinds, one(goKind, labKind, serverKind, pycrdtKind))
		}
	case p.Mesh:
		p.Kinds = []kind{one(yjsKind, pycrdtKind), goKind, one(goKind, yjsKind, pycrdtKind)}
	default:
		p.Kinds = []kind{one(pycrdtKind, pycrdtKind, yjsKind), goKind, one(goKind, yjsKind, yjsKind, pycrdtKind)}
		if r.IntN(3) == 0 {
			p.Kinds = append(p.Kinds, one(goKind, yjsKind, pycrdtKind))
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
		p.IDs[0] = 0 // like a real server's when it seeds a document
	}
	g := generator{random: r, p: &p}
	g.steps(25 + r.IntN(30))
	return p
}

// clientID returns an id that is small, or has 31, 32 or 53 bits.
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
	g.add(step{Do: "edit", Ops: []op{g.init(), g.insert(0), g.insert(0)}})
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

// init returns how the first peer makes the notebook: Jupyter's models from a file.
func (g *generator) init() op {
	o := op{Op: "init"}
	if files := notebooks(); g.p.Kinds[0].model() && g.IntN(2) == 0 {
		nb := files[g.IntN(len(files))]
		o.S, o.V = nb.name, nb.content
	}
	return o
}

func (g *generator) edit(p int) {
	ours := g.p.Kinds[p] == goKind
	if ours && g.IntN(6) == 0 {
		// Each is a separate transaction.
		g.add(step{Do: "edit", P: p, Ops: []op{{Op: []string{"undo", "undo", "redo"}[g.IntN(3)]}}})
		return
	}
	ops := make([]op, 1+g.IntN(3))
	for i := range ops {
		ops[i] = g.op(p)
		if o := &ops[i]; !ours && (o.Op == "source" || o.Op == "rewrite") && g.IntN(2) == 0 {
			o.S += mark
		}
	}
	g.add(step{Do: "edit", P: p, Ops: ops})
}

// mark is a character that only other libraries write: nbduet's undo must leave it.
const mark = "\ue000"

func (g *generator) numbers() [3]int { return [3]int{g.IntN(1000), g.IntN(1000), g.IntN(1000)} }

// newID returns the id of a cell that peer p makes.
func (g *generator) newID(p int) string {
	g.cells++
	return fmt.Sprintf("p%d-%d", p, g.cells)
}

func (g *generator) insert(p int) op {
	o := op{Op: "insert", N: g.numbers(), ID: g.newID(p), S: g.text(6), V: map[string]any{}}
	switch {
	case g.IntN(3) > 0:
	case g.strict:
		o.V = map[string]any{"k": g.text(2), "tags": g.metadata("tags")}
	default:
		o.V = map[string]any{"k": g.text(2), "tags": []any{g.text(1), nil, g.IntN(9)}}
	}
	if g.IntN(2) == 0 {
		o.N[1] = 0 // a code cell
	}
	return o
}

// The operations of all kinds of peers, of nbduet only, and of others, with their weights.
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
	onlyYjs     = []draw{{1, "move"}, {1, "type"}, {2, "rich"}, {2, "xml"}, {1, "subdoc"}}
	loose       = []draw{{1, "broken"}, {1, "unset"}}
	onlyLab     = []draw{{2, "move"}, {1, "type"}, {1, "nbunmeta"}, {1, "attach"}, {2, "tail"}, {1, "outputs"}, {1, "set"}, {2, "undo"}, {1, "redo"}}
	onlyServer  = []draw{{1, "move"}, {2, "cell"}, {2, "get"}, {2, "set"}, {1, "state"}, {1, "undo"}, {1, "redo"}}
)

// repertoire returns the additional operations of peers of a kind, and their frequency: one in oneIn.
func (g *generator) repertoire(k kind) (ops []draw, oneIn int) {
	switch k {
	case goKind:
		return onlyGo, 3
	case labKind:
		return onlyLab, 3
	case serverKind:
		return onlyServer, 3
	case yjsKind:
		if g.IntN(2) == 0 {
			if g.strict {
				return onlyYjs, 2
			}
			return slices.Concat(onlyYjs, loose), 2
		}
	}
	return onlyForeign, 3
}

// draw is the weight of an operation.
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

// op draws an operation of peer p.
func (g *generator) op(p int) op {
	from := common
	if own, oneIn := g.repertoire(g.p.Kinds[p]); g.IntN(oneIn) == 0 {
		from = own
	}
	o := op{Op: g.draw(from), N: g.numbers()}
	switch o.Op {
	case "insert":
		return g.insert(p)
	case "source", "rewrite", "stream", "tail", "carry", "cell":
		o.S = g.text(4)
	case "set":
		o.S, o.ID, o.V = g.text(3), g.newID(p), map[string]any{}
	case "meta":
		o.S = g.key()
		o.V = g.metadata(o.S)
	case "nbmeta":
		o.S, o.V = g.key(), g.value(3)
	case "unmeta", "nbunmeta", "unmap":
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
		o.V = g.broken(p)
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

// broken draws a malformed cell.
func (g *generator) broken(p int) any {
	id := g.newID(p)
	switch g.IntN(3) {
	case 0:
		return map[string]any{"id": id, "cell_type": "code", "source": g.text(2), "metadata": map[string]any{}, "outputs": []any{}}
	case 1:
		return map[string]any{"$": "map", "v": map[string]any{"id": id, "cell_type": "code", "source": g.text(2), "metadata": map[string]any{}}}
	default:
		return g.shared(2)
	}
}
