package resource

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/skills"
	"github.com/nbduet/nbduet/tools/tool"
)

// maxArgument is the maximum length of a prompt's argument in its text, in characters.
const maxArgument = 2_000

// freeText trims and cuts an argument that a person wrote in words.
func freeText(s string) string {
	s, _ = textfmt.Cut(strings.TrimSpace(s), maxArgument)
	return s
}

// existing returns the server's path of a file that a person named. An error says what is wrong with the file.
func (d *Provider) existing(ctx context.Context, file string, notebook bool) (string, error) {
	path, err := jupyter.ParsePath(strings.TrimSpace(file))
	if err != nil {
		return "", fmt.Errorf("read contents of %q: %w", strings.TrimSpace(file), err)
	}
	c, err := d.Manager.Servers().Documents.Contents.Get(ctx, path, jupyter.ContentsOptions{})
	switch {
	case err != nil:
		return "", err
	case c.Type == "directory":
		return "", tool.ArgumentError{Err: fmt.Errorf("%s is a folder: name a file in it", textfmt.Quoted(c.Path.String()))}
	case notebook && c.Type != "notebook":
		return "", tool.ArgumentError{Err: fmt.Errorf("%s is not a notebook", textfmt.Quoted(c.Path.String()))}
	}
	return c.Path.String(), nil
}

// togetherText returns the text of the skill, with the task.
func togetherText(ctx context.Context, d *Provider, args map[string]string) (string, error) {
	where := "Find out where I am, and begin."
	if args["path"] != "" {
		book, err := d.existing(ctx, args["path"], true)
		if err != nil {
			return "", err
		}
		where = "The notebook is " + textfmt.Quoted(book) + "."
	}
	if task := freeText(args["task"]); task != "" {
		where += " The task: " + task
	}
	return skills.Text() + "\n\n# Now\n\n" + where, nil
}

func (d *Provider) exploreText(ctx context.Context, args map[string]string) (string, error) {
	file, err := d.existing(ctx, args["file"], false)
	if err != nil {
		return "", err
	}
	book := strings.TrimSuffix(file, path.Ext(file)) + "-exploration.ipynb"
	question := ""
	if q := freeText(args["question"]); q != "" {
		question = "\nThe question to answer: " + q
	}
	return fmt.Sprintf(`Explore the data file %s together with me.%s

1. Look at it`+textfmt.Hint(" with preview_data")+`: columns, types, size. Say in two sentences what it seems to be.
2. Create the notebook %s`+textfmt.Hint(" with create_document")+` if it does not exist, and work in it cell by cell, so that I see each step in JupyterLab.
3. In small cells, each after a line of Markdown that gives the reason: load the data; look at missing and impossible values, distributions, and relations of columns. One plot at a time; print the numbers beside it.
4. Look at each plot before you continue, and adapt your plan to the data.
5. End with a Markdown cell: the findings, how certain they are, and what to look at next.`, textfmt.Quoted(file), question, textfmt.Quoted(book)), nil
}

func (d *Provider) reviewText(ctx context.Context, args map[string]string) (string, error) {
	file, err := d.existing(ctx, args["path"], true)
	if err != nil {
		return "", err
	}
	focus := "correctness first, then whether it runs from top to bottom in a fresh kernel, then clarity"
	if f := freeText(args["focus"]); f != "" {
		focus = f
	}
	return fmt.Sprintf(`Review the notebook %s. Look at: %s.

Read all of it`+textfmt.Hint(" with read_nb_cells")+` (follow next_cursor to the end), including outputs. Change nothing and run nothing.
Then list your findings, the most serious first: the cell's index and id, what is wrong, why it matters, and the change you propose, as a short piece of code where that is clearer. Say what can stay as it is. If the outputs do not fit the code above them (it was changed and not run again, or cells were run out of order), say so.`, textfmt.Quoted(file), focus), nil
}

func (d *Provider) fixText(ctx context.Context, args map[string]string) (string, error) {
	file, err := d.existing(ctx, args["path"], true)
	if err != nil {
		return "", err
	}
	which := "the first cell with an error"
	if c := freeText(args["cell"]); c != "" {
		which = "cell " + c
	}
	return fmt.Sprintf(`In the notebook %s, %s fails. Fix it.

1. Read the notebook`+textfmt.Hint(" with read_nb_cells")+`, above all the traceback and the cells it depends on.
2. Check the actual variables`+textfmt.Hint(" with get_variables")+` before you guess.
3. Say in one sentence why it fails.
4. Change as little as possible`+textfmt.Hint(" with modify_nb_cells")+`, giving the revision that you read; I may be typing in it too.
5. Run it`+textfmt.Hint(" with execute_nb_cells")+`. If it fails in another way, continue; if the same error occurs a third time, stop and tell me what you know.`, textfmt.Quoted(file), which), nil
}

func (d *Provider) continueText(ctx context.Context, args map[string]string) (string, error) {
	list, err := d.Activity.Recent(ctx, activityClient(ctx).Owner, 5)
	if err != nil {
		return "", err
	}
	var w mdPage
	w.line("Continue where I left off.")
	if goal := freeText(args["goal"]); goal != "" {
		w.line("What to do next: %s", goal)
	}
	files := 0
	for _, s := range list {
		w.line("\nSession of %s, %s:", second(s.Started), s.Status)
		for _, t := range s.Topics {
			w.line("- topic: %s", oneLine(t))
		}
		for _, found := range s.Discoveries {
			text := oneLine(found.Text)
			if found.Solution != "" {
				text += " (solved: " + oneLine(found.Solution) + ")"
			}
			w.line("- found: %s", text)
		}
		for _, f := range s.Files[:min(topFiles, len(s.Files))] {
			w.line("- file: %s (%s)", f.Path, textfmt.Plural(f.Count, "call"))
			files++
		}
	}
	if files == 0 {
		w.line("\nNo earlier session is recorded: ask me what it was about, and look at %s.", URIOverview)
		return w.String(), nil
	}
	text, _ := textfmt.Cut(w.String(), maxRecent)
	return text + "\nFirst read the relevant files again: I may have changed them. Say in a few sentences where the work stands and what you would do next, and then do it.", nil
}
