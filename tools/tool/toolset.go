package tool

// ToolsetContext is the toolset that needs [Config.Activity].
const ToolsetContext = "context"

// The toolsets, in the order in which they are listed.
const (
	ToolsetCore     = "core"
	ToolsetPair     = "pair"
	ToolsetRTCMCP   = "rtc-mcp"
	ToolsetNotebook = "notebook"
	ToolsetRuns     = "runs"
	ToolsetDocument = "document"
	ToolsetRTC      = "rtc"
	ToolsetAnalysis = "analysis"
	ToolsetCells    = "cells"

	ToolsetDatalayer = "datalayer"
	ToolsetToday     = "datalayer-today"
)
