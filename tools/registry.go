package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A tool is everything there is to say about one MCP tool.
type tool struct {
	name, title, description string
	toolset                  string
	// also are further toolsets that have it.
	also          []string
	marks         marks
	input, output schema
	// asks: its call may have to be answered with a question of running code, as that of every tool with openWorld.
	asks bool
	// handle answers a call whose arguments have been checked against input.
	handle func(context.Context, mcp.CallToolRequest) (*answer, error)
}

// marks are what a host may show its user or ask consent by; they must be true.
type marks struct {
	// readOnly: no file, document or kernel is changed. Joining a room to read it changes nothing that others keep.
	readOnly bool
	// destructive: something that was there before can be gone afterwards.
	destructive bool
	// idempotent: the same call again changes nothing more.
	idempotent bool
	// openWorld: it runs code, which can reach anything.
	openWorld bool
}

// ToolsetContext is the toolset that needs [Config.Activity].
const ToolsetContext = "context"

// The toolsets, in the order in which they are listed.
const (
	toolsetNotebook = "notebook"
	toolsetRuns     = "runs"
	toolsetDocument = "document"
	toolsetRTC      = "rtc"
	toolsetAnalysis = "analysis"
	toolsetCells    = "cells"

	toolsetDatalayer = "datalayer"
	toolsetToday     = "datalayer-today"
)

// A Toolset is a group of tools that is switched on and off together.
type Toolset struct {
	Name, Description string
	// Default tells that it is on where no toolsets are named.
	Default bool
}

// Toolsets returns all toolsets.
func Toolsets() []Toolset {
	return []Toolset{
		{toolsetNotebook, "find, read, edit and run notebooks", true},
		{toolsetRuns, "what the cells that were run are doing, and stopping them", true},
		{toolsetDocument, "read and edit text documents, and create, rename, copy and delete files", true},
		{toolsetRTC, "the collaboration sessions that this program holds open", true},
		{toolsetAnalysis, "analyse data: sessions with a kernel, code in them, and what it has drawn", true},
		{ToolsetContext, "keep what was found out, for later sessions and in the project file", true},
		{toolsetCells, "further names for cells and files", false},
		{toolsetDatalayer, "the names of Datalayer's jupyter-mcp-server, with those that it had before its version 1", false},
		{toolsetToday, "the same, those of its version 2 alone", false},
	}
}

// registry is the one list of all tools, in the order of the table in README.md.
func registry(p *parts) []tool {
	return slices.Concat(
		notebookTools(p.deps),
		documentTools(p.deps),
		analysisTools(p.deps),
		[]tool{executeCode(p), executeCell(p)},
		p.provider.tools(),
		p.theirs.tools(),
	)
}

// notebookTools are the tools of notebooks: their cells, kernels and runs.
func notebookTools(d *deps) []tool {
	return []tool{
		getBaseURL(d),
		nbPathFromURL(d),
		listNbs(d),
		getNbStat(d),
		readNbCells(d),
		modifyNbCells(d),
		insertNbCells(d),
		deleteNbCells(d),
		executeNbCells(d),
		restartNbKernel(d),
		listAvailableKernels(d),
		assignNbKernel(d),
		getRun(d),
		waitRun(d),
		listRuns(d),
		cancelRun(d),
		queryNbSessions(d),
		endNbSession(d),
	}
}

// documentTools are the tools of text documents, of files, and of what is held open.
func documentTools(d *deps) []tool {
	return []tool{
		getDocumentContent(d),
		insertDocumentText(d),
		deleteDocumentText(d),
		replaceDocumentText(d),
		listDocuments(d),
		createDocument(d),
		getDocumentInfo(d),
		deleteDocument(d),
		renameDocument(d),
		copyDocument(d),
		overwriteDocument(d),
		queryDocumentSession(d),
		endDocumentSession(d),
	}
}

// analysisTools are the tools of analysis sessions, and the further names for cells and files.
func analysisTools(d *deps) []tool {
	inspect := &inspector{deps: d}
	return []tool{
		sessionCreate(d),
		sessionList(d),
		sessionConnect(d),
		sessionDelete(d),
		notebookCreate(d),
		notebookAddCell(d),
		notebookEditCell(d),
		notebookDeleteCell(d),
		notebookMoveCell(d),
		notebookGet(d),
		notebookImport(d),
		notebookFromTemplate(d),
		fileList(d),
		fileRead(d),
		fileGet(d),
		interruptExecution(d),
		getVariables(inspect),
		getVariable(inspect),
		getDataFrameInfo(inspect),
		previewData(d),
		getImageResource(d),
	}
}

// tools are all of the toolset.
func (d *theirs) tools() []tool {
	return []tool{
		connectToJupyter(d),
		listNotebooks(d),
		useNotebook(d),
		unuseNotebook(d),
		restartNotebook(d),
		readNotebook(d),
		readCell(d),
		insertCell(d),
		insertExecuteCodeCell(d),
		overwriteCellSource(d),
		editCellSource(d),
		moveCell(d),
		deleteCell(d),
		clearCellOutput(d),
		listFiles(d),
		listKernels(d),
		listNotebook(d),
		listCells(d),
		readCells(d),
		executeCellSimpleTimeout(d),
		executeCellStreaming(d),
		executeCellWithProgress(d),
		executeIPython(d),
	}
}

// tools are those that keep what resources show.
func (d *provider) tools() []tool { return []tool{recordContext(d)} }

// ParseToolsets checks a comma-separated list of toolset names, in which "all" and "default" stand for several, and
// returns the names in their usual order, each once. An empty list is the default.
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
				return nil, fmt.Errorf("there is no toolset %q: choose from %s, default, all", name, strings.Join(toolsetNames(), ", "))
			}
			wanted[name] = true
		}
	}
	if len(wanted) == 0 {
		if strings.Trim(list, ", ") == "" && list != "" {
			return nil, errors.New("the list of toolsets names none: choose from " + strings.Join(toolsetNames(), ", ") + ", default, all")
		}
		return ParseToolsets("default")
	}
	return slices.DeleteFunc(toolsetNames(), func(n string) bool { return !wanted[n] }), nil
}

func toolsetNames() []string {
	var names []string
	for _, t := range Toolsets() {
		names = append(names, t.Name)
	}
	return names
}

// selected returns the tools of the named toolsets, without those that write where readOnly is set.
func selected(all []tool, toolsets []string, readOnly bool) []tool {
	return slices.DeleteFunc(all, func(t tool) bool {
		return !slices.ContainsFunc(toolsets, t.in) || (readOnly && !t.marks.readOnly)
	})
}

// in tells whether a toolset has the tool.
func (t tool) in(toolset string) bool {
	return t.toolset == toolset || slices.Contains(t.also, toolset)
}

// typed makes a tool's handle out of a function that takes the decoded arguments.
func typed[A any](fn func(context.Context, A) (*answer, error)) func(context.Context, mcp.CallToolRequest) (*answer, error) {
	return func(ctx context.Context, req mcp.CallToolRequest) (*answer, error) {
		var args A
		if err := decodeArguments(req, &args); err != nil {
			return nil, err
		}
		return fn(ctx, args)
	}
}

// definition is the tool in MCP's terms.
func (t tool) definition() mcp.Tool {
	m := t.marks
	return mcp.Tool{
		Name:            t.name,
		Title:           t.title,
		Description:     t.description,
		RawInputSchema:  t.input.raw(),
		RawOutputSchema: t.output.raw(),
		Annotations: mcp.ToolAnnotation{
			Title:           t.title,
			ReadOnlyHint:    &m.readOnly,
			DestructiveHint: &m.destructive,
			IdempotentHint:  &m.idempotent,
			OpenWorldHint:   &m.openWorld,
		},
	}
}
