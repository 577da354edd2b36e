package answers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
)

// Indexes in the notebook that [Fixed] makes: ten rounds of an executed code cell, a Markdown cell, and two code cells
// that were not run.
const (
	// Cells is the number of cells.
	Cells = 40
	// Table is the index of a cell with a table among its outputs.
	Table = 4
	// NotRun is the index of a code cell that was not run.
	NotRun = 2
)

// Fixed makes a notebook of 40 cells that is always the same: ten executed code cells with outputs of the usual kinds,
// twenty code cells that were not run, and ten Markdown cells.
func Fixed() ([]byte, error) { return written(true) }

// Bare is [Fixed] without outputs.
func Bare() ([]byte, error) { return written(false) }

func written(outputs bool) ([]byte, error) {
	ran, err := executed()
	if err != nil {
		return nil, err
	}
	var cells []dict
	add := func(cell dict, source string) {
		cell["id"] = fmt.Sprintf("cell-%02d", len(cells))
		cell["metadata"] = dict{}
		cell["source"] = source
		cells = append(cells, cell)
	}
	for i, run := range ran {
		if !outputs {
			run.outputs = nil
		}
		shown := append([]dict{}, run.outputs...) // an empty list, not null
		add(dict{"cell_type": "code", "execution_count": i + 1, "outputs": shown}, run.source)
		add(dict{"cell_type": "markdown"}, notes[i])
		for _, source := range []string{fmt.Sprintf(plans[i%len(plans)], i), fmt.Sprintf("step_%d = step(frame, level=%d)\nassert len(step_%[1]d) > 0", i, i+1)} {
			add(dict{"cell_type": "code", "execution_count": nil, "outputs": []dict{}}, source)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(dict{
		"cells":    cells,
		"metadata": dict{"kernelspec": dict{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}, "language_info": dict{"name": "python"}},
		"nbformat": 4, "nbformat_minor": 5,
	}); err != nil {
		return nil, fmt.Errorf("write the fixed notebook: %w", err)
	}
	return b.Bytes(), nil
}

type dict = map[string]any

// run is an executed code cell.
type run struct {
	source  string
	outputs []dict
}

// executed returns the executed cells.
func executed() ([]run, error) {
	plot, err := picture()
	if err != nil {
		return nil, err
	}
	return []run{
		{"import pandas as pd\n\nframe = pd.DataFrame({\"day\": range(1, 8), \"bikes\": [812, 905, 640, 990, 1104, 1530, 1421]})\nprint(len(frame), \"days\")", prints("7 days\n")},
		{"frame.head()", results(2, table(row{0, 1, 812}, row{1, 2, 905}, row{2, 3, 640}, row{3, 4, 990}, row{4, 5, 1104}))},
		{"for day in frame.itertuples():\n    print(day.day, \"#\" * (day.bikes // 100))", prints("1 ########\n2 #########\n3 ######\n4 #########\n5 ###########\n6 ###############\n7 ##############\n")},
		{"frame[\"bikes\"].mean()", results(4, dict{"text/plain": "1057.4285714285713"})},
		{"frame.plot(x=\"day\", y=\"bikes\")", append(results(5, dict{"text/plain": "<Axes: xlabel='day'>"}), dict{
			"output_type": "display_data", "metadata": dict{}, "data": dict{"image/png": plot, "text/plain": "<Figure size 640x480 with 1 Axes>"},
		})},
		{"1 / 0", []dict{failure}},
		{"import warnings\n\nwarnings.warn(\"few days\")\nprint(\"went on\")", append([]dict{{"output_type": "stream", "name": "stderr", "text": "/tmp/ipykernel_7/1.py:3: UserWarning: few days\n  warnings.warn(\"few days\")\n"}}, prints("went on\n")...)},
		{"frame.sort_values(\"bikes\", ascending=False).head(3)", results(8, table(row{5, 6, 1530}, row{6, 7, 1421}, row{4, 5, 1104}))},
		{"sorted(frame[\"bikes\"])", results(9, dict{"text/plain": "[640, 812, 905, 990, 1104, 1421, 1530]"})},
		{"print(*(f\"{n:4} {n * n:8} {n ** 3:12}\" for n in range(1, 31)), sep=\"\\n\")", prints(powers())},
	}, nil
}

func prints(text string) []dict {
	return []dict{{"output_type": "stream", "name": "stdout", "text": text}}
}

func results(count int, data dict) []dict {
	return []dict{{"output_type": "execute_result", "execution_count": count, "metadata": dict{}, "data": data}}
}

// row is a row of a table: its label, the day and the bikes.
type row struct{ label, day, bikes int }

// table is a frame as pandas shows it, as text and as HTML.
func table(rows ...row) dict {
	plain := "   day  bikes"
	page := tableHead
	for _, r := range rows {
		plain += fmt.Sprintf("\n%d  %3d  %5d", r.label, r.day, r.bikes)
		page += fmt.Sprintf("    <tr>\n      <th>%d</th>\n      <td>%d</td>\n      <td>%d</td>\n    </tr>\n", r.label, r.day, r.bikes)
	}
	return dict{"text/plain": plain, "text/html": page + "  </tbody>\n</table>\n</div>"}
}

// tableHead is the beginning of a pandas HTML table.
const tableHead = `<div>
<style scoped>
    .dataframe tbody tr th:only-of-type {
        vertical-align: middle;
    }

    .dataframe tbody tr th {
        vertical-align: top;
    }

    .dataframe thead th {
        text-align: right;
    }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;">
      <th></th>
      <th>day</th>
      <th>bikes</th>
    </tr>
  </thead>
  <tbody>
`

// failure is IPython's output for a division by zero.
var failure = dict{
	"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero",
	"traceback": []string{
		"\x1b[31m---------------------------------------------------------------------------\x1b[39m",
		"\x1b[31mZeroDivisionError\x1b[39m                         Traceback (most recent call last)",
		"\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[6]\x1b[39m\x1b[32m, line 1\x1b[39m\n\x1b[32m----> \x1b[39m\x1b[32m1\x1b[39m \x1b[32;43m1\x1b[39;49m\x1b[43m \x1b[49m\x1b[43m/\x1b[49m\x1b[43m \x1b[49m\x1b[32;43m0\x1b[39;49m\n",
		"\x1b[31mZeroDivisionError\x1b[39m: division by zero",
	},
}

// powers is a text table with a line for each number.
func powers() string {
	var b strings.Builder
	for n := 1; n <= 30; n++ {
		fmt.Fprintf(&b, "%4d %8d %12d\n", n, n*n, n*n*n)
	}
	return b.String()
}

// picture is a small PNG in base64. It is not compressed, so that it does not depend on the compressor.
func picture() (string, error) {
	img := image.NewGray(image.Rect(0, 0, 24, 16))
	for x := range 24 {
		img.SetGray(x, 15-x*x/40, color.Gray{Y: 255})
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img); err != nil {
		return "", fmt.Errorf("write the picture of the fixed notebook: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// notes are the Markdown cells, in several languages and scripts.
var notes = []string{
	"# Bikes in a week\n\nCounted at one bridge, from Monday to Sunday.",
	"## The table\n\n| column | meaning |\n| --- | --- |\n| `day` | 1 is Monday |\n| `bikes` | how many passed |",
	"## 每天的自行车\n\n每个 `#` 代表一百辆自行车。周末最多。",
	"The mean is $\\bar x = \\frac{1}{n}\\sum_{i=1}^n x_i$.",
	"## 図\n\n週末に向けて増えています。",
	"## خطأ مقصود\n\nالقسمة على صفر توضح كيف تظهر الأخطاء.",
	"## Warnings\n\n- few days\n- one bridge\n- no weather",
	"## הימים העמוסים ביותר\n\nשבת היא היום העמוס ביותר.",
	"Sorted, the median is the fourth: **990**.",
	"## Potenzen\n\nZahlen, ihre Quadrate und Kuben — für den Vergleich großer Ausgaben.",
}

// plans are code that was not run; each contains the round once.
var plans = []string{
	"def step(table, level=%d):\n    \"\"\"The rows above a level.\"\"\"\n    return table[table[\"bikes\"] > 100 * level]",
	"for name, group in frame.groupby(frame[\"day\"] > %d):\n    print(name, len(group), group[\"bikes\"].sum())",
	"weekly = frame.assign(week=%d).set_index([\"week\", \"day\"])\nweekly.describe()",
	"result = {day: bikes for day, bikes in zip(frame[\"day\"], frame[\"bikes\"]) if day > %d}",
}
