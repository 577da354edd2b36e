package datalayer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/nbduet/nbduet/session/render/datauri"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/tool"
)

// CitePrompt makes jupyter_cite, which puts cells of a notebook before a person's instruction.
func (d *Toolset) CitePrompt() tool.Prompt {
	return tool.Prompt{
		Name: "jupyter_cite", Title: "Cite cells of a notebook",
		Description: "Puts cells of a notebook before your instruction, as @ and # do in editors.",
		Toolsets:    []string{tool.ToolsetDatalayer, tool.ToolsetToday},
		Arguments: []tool.PromptArgument{
			{Name: "prompt", Description: "What to do with the cells.", Required: true, Blank: true},
			{Name: "cell_indices", Description: "Indexes of the cells, from 0, such as \"0,1,2\", \"0-2,4\" or \"3-\".", Required: true},
			{Name: "notebook_name", Description: "The name that you gave it, or a path. Left out: the current notebook.", Complete: d.completeUsed},
		},
		Text: d.citeText,
	}
}

// maxCited bounds the total length of the cells' sources, in characters.
const maxCited = 200_000

func (d *Toolset) citeText(ctx context.Context, args map[string]string) (string, error) {
	doc, name, err := d.openUsed(ctx, args["notebook_name"])
	if err != nil {
		return "", err
	}
	defer doc.Release()
	cells := doc.Notebook().Cells()
	indexes, err := citedCells(args["cell_indices"], len(cells))
	if err != nil {
		return "", tool.ArgumentError{Err: fmt.Errorf("cell_indices %s: %w", textfmt.Quoted(args["cell_indices"]), err)}
	}
	var numbers, parts []string
	doc.As(tool.ClientOf(ctx)).List(cells, indexes...)
	for _, i := range indexes {
		numbers = append(numbers, strconv.Itoa(i))
		source, wasCut := textfmt.Cut(strings.TrimSuffix(datauri.Short(cells[i].Source), "\n"), maxCited/len(indexes))
		parts = append(parts, cellHead(cells[i], i), source)
		if !wasCut {
			doc.As(tool.ClientOf(ctx)).Show(cells[i])
		}
	}
	head := fmt.Sprintf("USER Cite cells [%s] from notebook %s, here are the cells:", strings.Join(numbers, ", "), name)
	return strings.Join(append(append([]string{head}, parts...), "=====End of Cited Cells=====", "USER's Instruction are follow: "+args["prompt"]), "\n"), nil
}

// citedCells returns the indexes that a list such as "0-2,4" names, in order, each once. cells is the number of cells.
func citedCells(list string, cells int) ([]int, error) {
	if cells == 0 {
		return nil, errors.New("the notebook has no cells")
	}
	var out []int
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(strings.TrimSpace(from))
		if err != nil || first < 0 {
			return nil, fmt.Errorf("%s is neither an index nor a range such as 0-2", textfmt.Quoted(part))
		}
		last := first
		switch to = strings.TrimSpace(to); {
		case isRange && to == "":
			last = max(first, cells-1)
		case isRange:
			if last, err = strconv.Atoi(to); err != nil || last < first {
				return nil, fmt.Errorf("%s is not a range: it must end at or after its start, as in 0-2", textfmt.Quoted(part))
			}
		}
		if last >= cells {
			return nil, outOfRange(last, cells)
		}
		for i := first; i <= last; i++ {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no index given")
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// completeUsed returns the names of notebooks in use.
func (d *Toolset) completeUsed(ctx context.Context, written string, _ map[string]string) (out []string) {
	d.using(ctx, func(u *userNotebooks) {
		out = lo.Filter(u.names(), func(name string, _ int) bool { return strings.HasPrefix(name, written) })
	})
	return out
}
