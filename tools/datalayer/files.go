package datalayer

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/service/files"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools/target"
	"github.com/nbduet/nbduet/tools/tool"
)

type listFilesArgs struct {
	Path    string `json:"path,omitempty" jsonschema:"Folder to list; \"\" is the server's root folder." validate:"max=path" default:""`
	Depth   *int   `json:"max_depth,omitempty" jsonschema:"Levels of folders to list; 0 lists only the folder." validate:"max=3" default:"1"`
	Start   int    `json:"start_index,omitempty" jsonschema:"First entry to list, from 0." validate:"max=index" default:"0"`
	Limit   *int   `json:"limit,omitempty" jsonschema:"Maximum entries; 0: all." validate:"max=index" default:"25"`
	Pattern string `json:"pattern,omitempty" jsonschema:"Paths to list, such as \"**/*.ipynb\"; \"\" for all." validate:"max=1000,null" default:""`
}

// The defaults of list_files.
const (
	filesDepth = 1
	filesShown = 25
)

// listFiles makes list_files.
func listFiles(d *Toolset) tool.Tool {
	columns := []string{"Path", "Type", "Size", "Last_Modified"}
	return ofToday(tool.Tool{
		Name:  "list_files",
		Title: "List files",
		Description: "Lists the files and folders below a folder of the Jupyter server, as they are on disk, a page at a time, sorted by path. Skips hidden ones. " +
			"Use it to find a file; pattern takes *, ?, [a-z] and ** for any number of folders, and is matched against the whole path. Costs one request per folder.",
		Hints:  tool.Hints{ReadOnly: true, Idempotent: true},
		Output: tableSchema(columns...),
		Call: tool.Typed(func(ctx context.Context, args listFilesArgs) (*tool.Answer, error) {
			root, err := target.FolderArg("path", args.Path)
			if err != nil {
				return nil, err
			}
			depth, limit := tool.ValueOr(args.Depth, filesDepth), tool.ValueOr(args.Limit, filesShown)
			var wanted *regexp.Regexp
			if args.Pattern != "" {
				if wanted, err = globExpression(args.Pattern); err != nil {
					return nil, fmt.Errorf("pattern %s: %w", textfmt.Quoted(args.Pattern), err)
				}
			}
			found, note, err := d.Walk(ctx, files.Search{
				Root: root, What: "file", Depth: depth, Capped: true,
				Wants: func(c jupyter.Content) bool { return wanted == nil || wanted.MatchString(c.Path.String()) },
			})
			if err != nil {
				return nil, err
			}
			where := cmp.Or(root.String(), "root")
			none := fmt.Sprintf("No files found in path '%s'", where)
			if wanted != nil {
				none = fmt.Sprintf("No files matching pattern '%s' found in path '%s'", args.Pattern, where)
			}
			head := ""
			if note != (files.WalkNote{}) {
				head = "[WARNING] " + note.String() + "\n"
				none += "\n" + strings.TrimSuffix(head, "\n")
			}
			start := args.Start
			if start >= len(found) && start > 0 {
				head += fmt.Sprintf("[WARNING] start_index %d exceeds the %d entries: starting at 0\n", start, len(found))
				start = 0
			}
			end := len(found)
			if limit > 0 {
				end = min(end, start+limit)
			}
			var rows [][]string
			for _, c := range found[start:end] {
				size := ""
				if c.Size != nil {
					size = fileSize(*c.Size)
				}
				rows = append(rows, []string{c.Path.String(), c.Type, size, clock(c.LastModified)})
			}
			head += fmt.Sprintf("Showing %d-%d of %d files\n\n", start, end, len(found))
			return tableAnswer("files.list", head, none, columns, rows, func(n int) string {
				return fmt.Sprintf("[%s left out, because the answer would be too long: continue with start_index %d]", textfmt.Plural(n, "row"), end-n)
			})
		}),
	})
}

// fileSize formats a size in bytes as their table does.
func fileSize(n int64) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%dB", n)
	case n < 1024*1024:
		return fmt.Sprintf("%.1fKB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1fMB", float64(n)/(1024*1024))
}

// globToken matches the special parts of a pattern.
var globToken = regexp.MustCompile(`\*\*/|\*\*|[*?]|\[[^\]]*\]`)

// globExpression turns a pattern for paths into a regular expression: * and ? stop at a slash, **/ matches any number of
// folders, including none, and ** the rest of the path.
func globExpression(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`^`)
	at := 0
	for _, m := range globToken.FindAllStringIndex(pattern, -1) {
		b.WriteString(regexp.QuoteMeta(pattern[at:m[0]]))
		switch token := pattern[m[0]:m[1]]; token {
		case "**/":
			b.WriteString(`(?:[^/]+/)*`)
		case "**":
			b.WriteString(`(?s:.*)`)
		case "*":
			b.WriteString(`[^/]*`)
		case "?":
			b.WriteString(`[^/]`)
		default:
			inside := token[1 : len(token)-1]
			if negated, isNegated := strings.CutPrefix(inside, "!"); isNegated {
				inside = "^" + negated
			}
			b.WriteString("[" + strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(inside) + "]")
		}
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(pattern[at:]) + `\z`)
	return regexp.Compile(b.String())
}
