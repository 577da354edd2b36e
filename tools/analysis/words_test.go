package analysis

import (
	"encoding/json"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/session/kernel/inspect"
)

// The columns of a file have the same words as those of a data frame.
func TestWordsOfColumns(t *testing.T) {
	const columns = `"shape": [3, 2], "columns": ["n", "s"], "dtypes": {"n": "int64", "s": "string"}, "missing": {"n": 1, "s": 0}, ` +
		`"describe": {"n": {"count": 2, "mean": 1.5, "min": 1, "max": 2, "unique": 2}, "s": {"count": 3, "unique": 2, "top": "x", "freq": 2}}`
	var file inspect.Preview
	must.NoError(t, json.Unmarshal([]byte(`{"path": "a.csv", "format": "csv", "notes": ["counted"], `+columns+`}`), &file))
	var frame inspect.Detail
	must.NoError(t, json.Unmarshal([]byte(`{"name": "df", "type": "DataFrame", "dataframe": {`+columns+`}}`), &frame))
	shown := wordsOf(file, "a.csv")
	must.SliceLen(t, 1, shown.Blocks)
	test.Eq(t, "n: int64, 1 missing, min 1, mean 1.5, max 2, unique 2\ns: string, unique 2, top x", shown.Blocks[0].Body)
	test.Eq(t, wordsOf(frame, "").Blocks, shown.Blocks)
	test.Eq(t, []string{"counted"}, shown.Notes)
}
