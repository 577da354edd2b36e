package figure

import (
	"cmp"
	"strconv"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Widget is the MIME type of outputs that show a widget (ipywidgets). The kernel changes the widget's model with messages of
// its own, and leaves the output as it was: the text of a bar that has long ended still reads 0%.
const Widget = "application/vnd.jupyter.widget-view+json"

const (
	// mostModels is how many models of widgets are remembered, and mostParts how many parts of each. A bar of tqdm has four
	// models.
	mostModels = 4000
	mostParts  = 20
	// modelRef begins the id of a model within another's state.
	modelRef = "IPY_MODEL_"
)

// model is what is read of a widget's model.
type model struct {
	description, value string
	most               string // of a bar
	children           []string
}

// Model notes the state with which a model opens, or what of it changes (ipywidgets, Jupyter widget messaging protocol 2.1).
func (k *Known) Model(id string, state map[string]any) {
	if k == nil || id == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.models == nil {
		models, err := lru.New[string, model](mostModels)
		if err != nil {
			panic(err) // the size is a positive constant
		}
		k.models = models
	}
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

// valueText is a value in a line of text, "" for one that is no text, number or truth.
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

// Widget is what the widget that an output's data name shows now, in a line; "" if that is not known.
func (k *Known) Widget(data map[string]any) string {
	view, _ := data[Widget].(map[string]any)
	id, _ := view["model_id"].(string)
	if k == nil || id == "" {
		return ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.models == nil {
		return ""
	}
	var parts []string
	k.partsOf(id, 5, &parts)
	return strings.Join(parts, " ")
}

// partsOf adds what a model shows, and what stands in it down to a depth. The caller holds mu.
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
