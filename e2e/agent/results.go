package agent

// The JSON objects that the tools answer with, limited to the fields that the tests and the demo read.

// Cells is the answer of read_nb_cells.
type Cells struct {
	Path        string `json:"path"`
	Cells       []Cell `json:"cells"`
	Truncated   bool   `json:"truncated"`
	MaxCellData int    `json:"max_cell_data"`
}

// Cell is one cell of Cells.
type Cell struct {
	Index          int      `json:"index"`
	ID             string   `json:"id"`
	Type           string   `json:"cell_type"`
	Source         string   `json:"source"`
	ExecutionCount *int     `json:"execution_count"`
	Outputs        []Output `json:"outputs"`
}

// Output is one output of a cell. A stream has Text, a display or result has Data, an error has Name, Value and
// Traceback.
type Output struct {
	Data           map[string]any `json:"data"`
	ExecutionCount *int           `json:"execution_count"`
	Name           string         `json:"name"`
	Value          string         `json:"value"`
	Traceback      []string       `json:"traceback"`
	Text           string         `json:"text"`
}

// Executed is the answer of insert_nb_cells, modify_nb_cells and
// execute_nb_cells.
type Executed struct {
	Message          string   `json:"message"`
	Executed         bool     `json:"executed"`
	ModifiedRanges   int      `json:"modified_ranges"`
	ExecutedRanges   int      `json:"executed_ranges"`
	ExecutedCells    int      `json:"executed_cells"`
	ExecutionResults []Result `json:"execution_results"`
	// Merged are the cells whose source differs from the given one, because another person typed there in the meantime.
	Merged []Merged `json:"merged_cells"`
}

// Merged is a cell of Executed with its present source.
type Merged struct {
	ID     string `json:"id"`
	Source string `json:"source"`
}

// Result is the result of one cell's execution.
type Result struct {
	State        string   `json:"state"`
	Message      string   `json:"message"`
	Outputs      []Output `json:"outputs"`
	Truncated    bool     `json:"truncated"`
	OriginalSize int      `json:"original_size"`
}

// Sessions is the answer of query_nb_sessions.
type Sessions struct {
	RootPath string    `json:"root_path"`
	Sessions []Session `json:"sessions"`
	Total    int       `json:"total_sessions"`
	Active   int       `json:"active_sessions"`
}

// Session is one open notebook of Sessions.
type Session struct {
	Path         string `json:"path"`
	SessionID    string `json:"session_id"`
	FileID       string `json:"file_id"`
	Status       string `json:"status"`
	CellCount    int    `json:"cell_count"`
	LastActivity string `json:"last_activity"`
	Message      string `json:"message"`
}
