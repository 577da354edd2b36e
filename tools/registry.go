package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/tools/analysis"
	"github.com/nbduet/nbduet/tools/deps"
	"github.com/nbduet/nbduet/tools/document"
	"github.com/nbduet/nbduet/tools/notebook"
	"github.com/nbduet/nbduet/tools/pair"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

// A Toolset is a group of tools that are switched on and off together.
type Toolset struct {
	Name, Description string
	// Default says that it is on if no toolsets are named.
	Default bool
}

// Toolsets returns all toolsets.
func Toolsets() []Toolset {
	return []Toolset{
		{tool.ToolsetCore, "tools for daily work from the sets below, and access to the others", true},
		{tool.ToolsetPair, "work with people: who is here, what changed and by whom, undo of the agent's own edits", false},
		{tool.ToolsetRTCMCP, "all of notebook, document and rtc: the tools of jupyterlab-rtc-mcp", false},
		{tool.ToolsetNotebook, "find, read, edit and run notebooks", false},
		{tool.ToolsetRuns, "follow, list and stop runs of cells", false},
		{tool.ToolsetDocument, "read and edit text documents, and create, rename, copy and delete files", false},
		{tool.ToolsetRTC, "list and close the collaboration sessions that nbduet holds open", false},
		{tool.ToolsetAnalysis, "analyse data: sessions with a kernel, code, variables, data files and images; plus all of cells", false},
		{tool.ToolsetContext, "save findings for later sessions and in the project file", false},
		{tool.ToolsetCells, "further names for cells and files", false},
		{tool.ToolsetDatalayer, "the tool names of Datalayer's jupyter-mcp-server, with those from before its version 1", false},
		{tool.ToolsetToday, "the same, version 2 only", false},
	}
}

// registry returns all tools, in the order of the table in README.md.
func registry(p *parts) []tool.Tool {
	all := slices.Concat(
		notebook.Tools(p.Deps),
		document.Tools(p.Deps),
		analysis.Tools(p.Deps),
		pair.Tools(p.Deps),
		[]tool.Tool{executeCode(p), executeCell(p)},
		p.resources.Tools(),
		p.datalayer.Tools(),
		[]tool.Tool{findTools(p), callTool(p)},
	)
	for i := range all {
		all[i] = withManners(target.Accompanied(p.Manager, all[i]))
		all[i].Also = append(all[i].Also, furtherSets(all[i])...)
	}
	return all
}

// ParseToolsets checks a comma-separated list of toolset names, in which "all" and "default" mean several. It returns the
// names in their usual order, each once; none if the list is empty or only "default", which chooses nothing, see
// [Config.Toolsets].
func ParseToolsets(list string) ([]string, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); name {
		case "":
		case "all", "default":
			for _, t := range Toolsets() {
				if name == "all" || t.Default {
					wanted[t.Name] = true
				}
			}
		default:
			if !slices.ContainsFunc(Toolsets(), func(t Toolset) bool { return t.Name == name }) {
				return nil, fmt.Errorf("no toolset %q: choose from %s, default, all", name, strings.Join(ToolsetNames(), ", "))
			}
			wanted[name] = true
		}
	}
	switch {
	case list == "" || strings.TrimSpace(list) == "default":
		return nil, nil
	case len(wanted) == 0:
		return nil, errors.New("the list of toolsets is empty: choose from " + strings.Join(ToolsetNames(), ", ") + ", default, all")
	}
	return slices.DeleteFunc(ToolsetNames(), func(n string) bool { return !wanted[n] }), nil
}

// ToolsetNames returns the names of all toolsets.
func ToolsetNames() []string {
	return lo.Map(Toolsets(), func(t Toolset, _ int) string { return t.Name })
}

// selected returns the tools of the named toolsets, without writing tools if readOnly is set.
func selected(all []tool.Tool, toolsets []string, readOnly bool) []tool.Tool {
	return slices.DeleteFunc(all, func(t tool.Tool) bool {
		return !slices.ContainsFunc(toolsets, t.In) || (readOnly && !t.Hints.ReadOnly)
	})
}

// Definitions returns all tools; a definition does not depend on Config.Work.
func Definitions() []tool.Tool { return registry(&parts{Deps: &deps.Deps{}}) }
