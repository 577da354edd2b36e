package document

import "github.com/nbduet/nbduet/tools/tool"

// Part are the arguments of every tool that reads a text part by part.
type Part struct {
	Max      *int `json:"max_content,omitempty" jsonschema:"Most characters of content to return."`
	Position int  `json:"position,omitempty"`
}

// Refine implements tool.Refiner.
func (Part) Refine(f tool.Fields) {
	f.Field("max_content").Limit(1, MaxContent).Default(defaultContent)
	f.Field("position").Say("Where to begin, "+PositionUnit+".").Limit(0, MaxPosition).Default(0)
}
