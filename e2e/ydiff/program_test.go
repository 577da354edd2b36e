package ydiff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// kind is the library of a peer's replica.
type kind string

const (
	goKind     kind = "go"
	yjsKind    kind = "yjs"
	pycrdtKind kind = "pycrdt"
	labKind    kind = "@jupyter/ydoc" // JupyterLab's model, on yjs
	serverKind kind = "jupyter_ydoc"  // the server's model, on pycrdt
)

// model reports whether a replica is one of Jupyter's own models.
func (k kind) model() bool { return k == labKind || k == serverKind }

// inPython reports whether a replica is a document of pycrdt.
func (k kind) inPython() bool { return k == pycrdtKind || k == serverKind }

// wantsAll reports whether a replica of a mesh must get missing updates as a whole.
func (k kind) wantsAll() bool { return k.inPython() || k == labKind }

// op is one operation of an edit. Peers take its numbers modulo their sizes.
type op struct {
	Op string `json:"op"`
	N  [3]int `json:"n"`
	ID string `json:"id,omitempty"`
	S  string `json:"s"`
	V  any    `json:"v"`
}

// step is an edit of peer P if it has operations, else an event of the network.
type step struct {
	Do   string // "edit"; in a star connect, leave, up, down; in a mesh pass, again, cut, sync
	P, Q int    // the peer; in a mesh the sender and the receiver
	K    int    // number of messages
	Ops  []op
}

func (s step) String() string {
	switch s.Do {
	case "edit":
		ops := slices.Clone(s.Ops)
		for i := range ops {
			if ops[i].Op == "init" {
				ops[i].V = nil // S names the file
			}
		}
		b, err := json.Marshal(ops)
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

// program is the whole input of a run. In a star peer 0 is the server.
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

// strict reports whether all edits are valid for notebooks, because one of Jupyter's models takes part.
func (p program) strict() bool { return slices.ContainsFunc(p.Kinds, kind.model) }
