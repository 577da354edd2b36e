package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png" // plots are PNG images
	"strings"

	"github.com/nbduet/nbduet/e2e/agent"
)

// maxLines is the number of lines shown of one text.
const maxLines = 12

// show prints a shortened answer: cells by their first line, outputs as their text, images by their size.
func show(answer *agent.Answer) error {
	var body struct {
		agent.Executed
		Cells []agent.Cell `json:"cells"`
	}
	if err := json.Unmarshal([]byte(answer.Text), &body); err != nil {
		return fmt.Errorf("the answer is no JSON object: %w", err)
	}
	for _, c := range body.Cells {
		first, _, more := strings.Cut(c.Source, "\n")
		if more {
			first += " …"
		}
		say("   [%d] %-8s %s", c.Index, c.Type, first)
	}
	if body.Message != "" {
		say("   %s", body.Message)
	}
	for _, result := range body.ExecutionResults {
		for _, output := range result.Outputs {
			showOutput(output)
			if output.Traceback != nil {
				return fmt.Errorf("the cell failed: %s: %s", output.Name, output.Value)
			}
		}
	}
	for _, picture := range answer.Images {
		config, _, err := image.DecodeConfig(bytes.NewReader(picture.Data))
		if err != nil {
			return fmt.Errorf("the %s in the answer: %w", picture.MIMEType, err)
		}
		say("   | an image for the model: %s, %d × %d pixels, %d kB", picture.MIMEType, config.Width, config.Height, (len(picture.Data)+999)/1000)
	}
	return nil
}

// showOutput prints the text of one output.
func showOutput(output agent.Output) {
	text := output.Text
	if plain, ok := output.Data["text/plain"].(string); ok {
		text = plain
	}
	if output.Name != "" && output.Traceback != nil {
		text = output.Name + ": " + output.Value
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if i == maxLines {
			say("   | … %d more lines", len(lines)-i)
			break
		}
		say("   | %s", line)
	}
}
