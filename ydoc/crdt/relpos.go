package crdt

import (
	"encoding/json"
	"fmt"
)

// relativePosition is a position in a shared text that others' edits around it do not move, in the format of
// JupyterLab's cursors (Yjs, RelativePosition.js). All four keys are always written, because a tab fails on a missing
// one.
type relativePosition struct {
	Type  *jsonID `json:"type"`
	TName *string `json:"tname"`
	Item  *jsonID `json:"item"`
	Assoc int     `json:"assoc"`
}

type jsonID struct {
	Client uint64 `json:"client"`
	Clock  uint64 `json:"clock"`
}

func jsonOf(at unit) *jsonID { return &jsonID{uint64(at.client), uint64(at.clock)} }

func (id *jsonID) unit() unit { return unit{int(id.Client), int(id.Clock)} }

// maxPositionBytes is far above the size of any position.
const maxPositionBytes = 4 << 10

// Relative returns the position before unit off of a text, or at its end.
func (t *Type) Relative(off int) (json.RawMessage, error) {
	if err := t.Boundary(off); err != nil {
		return nil, err
	}
	var p relativePosition
	if t.Item != nil {
		p.Type = jsonOf(unitOf(&t.Item.ID))
	} else {
		p.TName = &t.root
	}
	if off < t.Length {
		p.Item = jsonOf(*t.unitBefore(off + 1))
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode a position: %w", err)
	}
	return b, nil
}

// Resolve returns the type and the present offset of a position.
func (r *Replica) Resolve(raw json.RawMessage) (t *Type, off int, ok bool) {
	var p relativePosition
	if len(raw) > maxPositionBytes || json.Unmarshal(raw, &p) != nil {
		return nil, 0, false
	}
	switch {
	case p.Item != nil:
		return r.resolveItem(p.Item.unit(), p.Assoc)
	case p.TName != nil:
		t, _ = r.y.Share[*p.TName].(*Type)
	case p.Type != nil:
		t = typeAt(r.y.Store, p.Type.unit())
	}
	if t == nil {
		return nil, 0, false
	}
	if p.Assoc >= 0 {
		off = t.Length
	}
	return t, off, true
}

// resolveItem returns the place before a unit of a list, or after it if assoc is negative.
func (r *Replica) resolveItem(at unit, assoc int) (t *Type, off int, ok bool) {
	item, diff := lookup(r.y.Store, at)
	if item == nil {
		return nil, 0, false
	}
	if t, _ = item.Parent.(*Type); t == nil || item.ParentSub != "" {
		return nil, 0, false
	}
	if visible(item) {
		off = diff
		if assoc < 0 {
			off++
		}
	}
	for left := item.Left; left != nil; left = left.Left {
		if visible(left) {
			off += left.Length
		}
	}
	return t, off, true
}
