package nbjson

import (
	"crypto/sha256"
	"errors"
	"sync"
)

// Notary records which notebooks are trusted, as nbformat's does in a file. The zero value is empty.
type Notary struct {
	mu     sync.Mutex
	signed map[[sha256.Size]byte]bool
}

// Mark sets the metadata "trusted" of each code cell in a parsed notebook: whether that notebook was signed.
func (n *Notary) Mark(nb map[string]any) error {
	cells, err := cellsOf(nb)
	if err != nil {
		return err
	}
	signature := sign(nb)
	n.mu.Lock()
	trusted := n.signed[signature]
	n.mu.Unlock()
	for _, c := range cells {
		if m, ok := c["metadata"].(map[string]any); ok && c["cell_type"] == "code" {
			m["trusted"] = trusted
		}
	}
	return nil
}

// Sign signs a notebook before it is written, if it is trusted: all its code cells are marked so, or have no rich
// outputs.
func (n *Notary) Sign(nb map[string]any) error {
	nb, _ = clone(nb).(map[string]any)
	cells, err := cellsOf(nb)
	if err != nil {
		return err
	}
	all := true
	for _, c := range cells {
		if c["cell_type"] != "code" {
			continue
		}
		m, ok := c["metadata"].(map[string]any)
		if !ok {
			return errors.New("a code cell has no metadata")
		}
		trusted, _ := m["trusted"].(bool)
		delete(m, "trusted")
		all = all && (trusted || plainOutputs(c))
	}
	if !all {
		return nil
	}
	signature := sign(nb)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.signed == nil {
		n.signed = map[[sha256.Size]byte]bool{}
	}
	n.signed[signature] = true
	return nil
}

// plainOutputs reports whether no output of a cell could hold a script.
func plainOutputs(c map[string]any) bool {
	for _, o := range objects(c["outputs"]) {
		if o["output_type"] != "execute_result" && o["output_type"] != "display_data" {
			continue
		}
		for k := range o {
			if k != "output_type" && k != "execution_count" && k != "metadata" {
				return false
			}
		}
	}
	return true
}

func sign(nb map[string]any) [sha256.Size]byte { return sha256.Sum256(appendJSON(nil, nb, 1)) }
