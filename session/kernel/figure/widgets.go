package figure

import (
	"cmp"
	"strconv"
	"strings"
)

// Widget is the MIME type of an output that shows a widget (ipywidgets). The kernel updates the widget's model with comm
// messages and leaves the output unchanged, so that the text of a finished progress bar still reads 0%.
const Widget = "application/vnd.jupyter.widget-view+json"

const (
	// mostModels bounds the number of remembered models, and mostParts the children of each. A tqdm bar has four models.
	mostModels = 4000
	mostParts  = 20
	// modelRef is the prefix of a model's id in the state of another.
	modelRef = "IPY_MODEL_"
)

// model is the part of a widget's model that a line of text can show.
type model struct {
	description, value string
	most               string // the maximum of a progress bar
	children           []string
}

// Model records the initial state of a widget's model, or a change of it (Jupyter widget messaging protocol 2.1).
func (k *Known) Model(id string, state map[string]any) {
	if k == nil || id == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	m, _ := k.models.Get(id)
	for key, to := range map[string]*string{"description": &m.description, "value": &m.value, "max": &m.most} {
		if v, ok := state[key]; ok {
			*to = valueText(v)
		}
	}
	if list, ok := state["children"].([]any); ok {
		m.children = nil
		for _, ref := range list[:min(len(list), mostParts)] {
			if ref, ok := ref.(string); ok {
				m.children = append(m.children, strings.TrimPrefix(ref, modelRef))
			}
		}
	}
	k.models.Add(id, m)
}

// valueText returns a string, number or bool as a line of text, and "" for any other value.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return clean(markup.ReplaceAllString(v, ""), mostText)
	case int:
		return number(float64(v))
	case float64:
		return number(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Widget describes the current state of the widget in an output's data in one line; it returns "" if the state is unknown.
func (k *Known) Widget(data map[string]any) string {
	view, _ := data[Widget].(map[string]any)
	id, _ := view["model_id"].(string)
	if k == nil || id == "" {
		return ""
	}
	var parts []string
	k.partsOf(id, 5, &parts)
	return strings.Join(parts, " ")
}

// partsOf appends the text of a model and of its children, up to depth levels.
func (k *Known) partsOf(id string, depth int, parts *[]string) {
	m, ok := k.models.Get(id)
	if !ok || depth == 0 || len(*parts) > mostParts {
		return
	}
	value := m.value
	if m.most != "" {
		value = cmp.Or(value, "0") + " of " + m.most
	}
	if text := strings.TrimSpace(m.description + " " + value); text != "" {
		*parts = append(*parts, text)
	}
	for _, child := range m.children {
		k.partsOf(child, depth-1, parts)
	}
}
