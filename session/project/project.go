package project

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a project file.
const MaxBytes = 1 << 20

// A Project is what a project file says.
type Project struct {
	Project struct {
		Name string `yaml:"name"`
		Type string `yaml:"type"`
		Path string `yaml:"path"`
	} `yaml:"project"`
	Tech struct {
		Stack          []string `yaml:"stack"`
		Runtime        string   `yaml:"runtime"`
		PackageManager string   `yaml:"packageManager"`
	} `yaml:"tech"`
	Architecture struct {
		Pattern     string `yaml:"pattern"`
		Description string `yaml:"description"`
	} `yaml:"architecture"`
	Modules []Module `yaml:"modules"`
}

// A Module is a part of a project.
type Module struct {
	Name          string   `yaml:"name"`
	Description   string   `yaml:"description"`
	KeyFiles      []File   `yaml:"keyFiles"`
	Patterns      []string `yaml:"patterns"`
	BusinessRules []string `yaml:"businessRules"`
	CommonIssues  []Issue  `yaml:"commonIssues"`
	Dependencies  []string `yaml:"dependencies"`
}

// A File is an important file of a module.
type File struct {
	Path        string `yaml:"path"`
	Role        string `yaml:"role"`
	Description string `yaml:"description"`
}

// An Issue is a problem that was solved before.
type Issue struct {
	Description  string `yaml:"description"`
	Solution     string `yaml:"solution,omitempty"`
	DiscoveredAt string `yaml:"discoveredAt,omitempty"`
	SessionID    string `yaml:"sessionId,omitempty"`
}

// Parse reads a project file. An error names the line.
func Parse(text string) (*Project, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("it has %d bytes, but at most %d are read: shorten it", len(text), MaxBytes)
	}
	var p Project
	dec := yaml.NewDecoder(strings.NewReader(text))
	if err := dec.Decode(&p); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it is empty: it needs at least project: {name: …}")
		}
		return nil, plain(err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one YAML document: keep one")
	}
	if p.Project.Name == "" {
		return nil, errors.New("it does not name the project: it needs project: {name: …}")
	}
	named := make(map[string]bool)
	for i, m := range p.Modules {
		switch {
		case m.Name == "":
			return nil, fmt.Errorf("module %d has no name", i+1)
		case named[m.Name]:
			return nil, fmt.Errorf("two modules are named %q", m.Name)
		}
		named[m.Name] = true
	}
	return &p, nil
}

// Module finds a module by its name.
func (p *Project) Module(name string) (Module, bool) {
	for _, m := range p.Modules {
		if m.Name == name {
			return m, true
		}
	}
	return Module{}, false
}

// Names are the names of all modules, in order.
func (p *Project) Names() []string {
	var names []string
	for _, m := range p.Modules {
		names = append(names, m.Name)
	}
	return names
}

// plain is the error in one line, without the YAML library's prefix.
func plain(err error) error {
	var types *yaml.TypeError
	if errors.As(err, &types) && len(types.Errors) > 0 {
		return errors.New(types.Errors[0]) // begins with "line 3: "
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}
