package project

import (
	"errors"
	"strings"

	"github.com/samber/lo"
	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a project file.
const MaxBytes = 1 << 20

// A Project is the content of a project file.
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
	// Notes report the unreadable parts of the file that were left out, with the line and the expected form.
	Notes []string `yaml:"-"`
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

// Module returns the module with a name.
func (p *Project) Module(name string) (Module, bool) {
	return lo.Find(p.Modules, func(m Module) bool { return m.Name == name })
}

// Names returns the names of all modules, in order.
func (p *Project) Names() []string {
	return lo.Map(p.Modules, func(m Module, _ int) string { return m.Name })
}

// plain returns the error in one line, without the YAML library's prefix.
func plain(err error) error {
	if types, ok := errors.AsType[*yaml.TypeError](err); ok && len(types.Errors) > 0 {
		return errors.New(types.Errors[0]) // begins with "line 3: "
	}
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}
