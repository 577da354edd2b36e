package tools

import (
	"context"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session"
	"github.com/nbduet/nbduet/session/analysis"
	"github.com/nbduet/nbduet/session/files"
	"github.com/nbduet/nbduet/session/helper"
	"github.com/nbduet/nbduet/session/inspect"
)

// Work is what the tools work with: the documents of a manager, and what there is beside them. The manager closes all of
// it when it is closed itself. There is to be one for a manager.
type Work struct {
	*session.Manager
	AnalysisSessions *analysis.Table
	Files            *files.Files
	Helper           *helper.Helper
}

// NewWork makes the work of a manager.
func NewWork(m *session.Manager) *Work {
	return &Work{Manager: m, AnalysisSessions: analysis.New(m), Files: files.New(m), Helper: helper.New(m)}
}

// The former names of what has moved to packages of its own.
type (
	// Analysis is an analysis session.
	//
	//go:fix inline
	Analysis = analysis.Session
	// AnalysisOptions say what one is to have.
	//
	//go:fix inline
	AnalysisOptions = analysis.Options
)

// CreateAnalysis is analysis.Table.Create.
//
//go:fix inline
func (w *Work) CreateAnalysis(ctx context.Context, owner string, opt AnalysisOptions) (*Analysis, error) {
	return w.AnalysisSessions.Create(ctx, owner, opt)
}

// ConnectAnalysis is analysis.Table.Connect.
//
//go:fix inline
func (w *Work) ConnectAnalysis(ctx context.Context, owner, notebookPath, kernelID string) (*Analysis, error) {
	return w.AnalysisSessions.Connect(ctx, owner, notebookPath, kernelID)
}

// AttachKernel is analysis.Table.Attach.
//
//go:fix inline
func (w *Work) AttachKernel(ctx context.Context, owner, id string) (*Analysis, error) {
	return w.AnalysisSessions.Attach(ctx, owner, id)
}

// Analysis is analysis.Table.Get.
//
//go:fix inline
func (w *Work) Analysis(owner, id string) (*Analysis, error) {
	return w.AnalysisSessions.Get(owner, id)
}

// Analyses is analysis.Table.List.
//
//go:fix inline
func (w *Work) Analyses(owner string) []*Analysis { return w.AnalysisSessions.List(owner) }

// DeleteAnalysis is analysis.Table.Delete.
//
//go:fix inline
func (w *Work) DeleteAnalysis(ctx context.Context, owner, id string) error {
	return w.AnalysisSessions.Delete(ctx, owner, id)
}

// EndOwner is analysis.Table.EndOwner.
//
//go:fix inline
func (w *Work) EndOwner(ctx context.Context, owner string) error {
	return w.AnalysisSessions.EndOwner(ctx, owner)
}

// Create is files.Files.Create.
//
//go:fix inline
func (w *Work) Create(ctx context.Context, to string, c jupyter.NewContent) (jupyter.Content, error) {
	return w.Files.Create(ctx, to, c)
}

// Copy is files.Files.Copy.
//
//go:fix inline
func (w *Work) Copy(ctx context.Context, from, to string) (jupyter.Content, error) {
	return w.Files.Copy(ctx, from, to)
}

// Rename is files.Files.Rename.
//
//go:fix inline
func (w *Work) Rename(ctx context.Context, from, to string) (files.Renamed, error) {
	return w.Files.Rename(ctx, from, to)
}

// Delete is files.Files.Delete.
//
//go:fix inline
func (w *Work) Delete(ctx context.Context, path string) (files.Deleted, error) {
	return w.Files.Delete(ctx, path)
}

// Preview is helper.Helper.Preview.
//
//go:fix inline
func (w *Work) Preview(ctx context.Context, kernelName string, opt inspect.PreviewOptions) (inspect.Preview, error) {
	return w.Helper.Preview(ctx, kernelName, opt)
}

// HelperKernel is helper.Helper.KernelID.
//
//go:fix inline
func (w *Work) HelperKernel() string { return w.Helper.KernelID() }
