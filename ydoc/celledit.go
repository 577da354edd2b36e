package ydoc

// A CellEdit is the effect of a recorded edit on one cell, without outputs and attachments. It can be reverted in another
// replica of the notebook, where the edit's [Step] means nothing.
type CellEdit struct {
	ID string `json:"id"`
	// Before and After are nil if the cell did not exist then.
	Before *CellState `json:"before,omitempty"`
	After  *CellState `json:"after,omitempty"`
	// Moved is set if the edit moved the cell.
	Moved bool `json:"moved,omitempty"`
}

// CellState is the content and the place of a cell.
type CellState struct {
	Type     string         `json:"type"`
	Source   string         `json:"source"`
	Metadata map[string]any `json:"metadata,omitempty"` // only of a deleted cell
	Bare     bool           `json:"bare,omitempty"`     // a deleted cell had outputs or attachments
	Index    int            `json:"index"`
	Previous string         `json:"previous,omitempty"` // the id of the cell before it; "" for the first
	Next     string         `json:"next,omitempty"`     // the id of the cell after it; "" for the last
}

// Bytes is the size of the edit's texts.
func (e CellEdit) Bytes() (n int) {
	for _, s := range []*CellState{e.Before, e.After} {
		if s != nil {
			n += len(s.Source)
		}
	}
	return n
}
